"""Readers of each benchmark's files: files in, core types out, errors that name file and line."""
