"""Agent-memory benchmarks as pytest suites.

Importing this package imports nothing heavy: the plugin is loaded at every pytest start of every
project that has it installed.
"""

__version__ = "0.1.0"
