"""Where programs run that nobody trusts: one protocol, three kinds."""
