"""A small language model on this machine, from packages: for tests over real HTTP, with no key."""
