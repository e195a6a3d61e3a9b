"""The memory contract: promises any memory must keep, tried on generated examples.

What counts as what:

- A promise is *broken* where an example contradicts it, and also where a documented call raises on
  valid input: that is what its user would see. Refusing a principal's name is answered for by one
  promise of its own and tolerated by the others.
- It is an *error* of the run, not of the memory, where a system cannot even store and recall one
  plain sentence (a missing service, a model out of reach), and where something around the library
  raises an :class:`~pytest_comem.errors.InfrastructureError` of another type than ``adapter``.
- It is *not applicable* where it is tied to a capability that the system does not declare.

Nothing here imports Hypothesis before a promise is tried: it is an optional dependency.
"""
