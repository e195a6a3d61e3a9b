"""The generator of the domain's families; nothing at run time imports it."""
