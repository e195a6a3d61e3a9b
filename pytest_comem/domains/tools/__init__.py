"""Stateful tools: workflows over files, workbooks, databases and repositories by MCP servers."""
