"""The embedded set: three invented participants, their work in 2025, and how it is built."""
