"""Fixtures of the acceptance tests."""

from tiny_project import project

__all__ = ["project"]
