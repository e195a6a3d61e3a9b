"""The maintainer of three small packages; every name, person and figure is invented."""
