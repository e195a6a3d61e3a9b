"""Our program for inside a sandbox: the operations on a workspace's files.

Nothing here imports anything of the package but what lies beside it, so that the directory can be
shown to a sandbox by itself, to any Python from 3.11 on.
"""
