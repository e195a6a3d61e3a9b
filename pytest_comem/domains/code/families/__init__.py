"""The shipped families of the code domain, computed from the instances by real runs."""
