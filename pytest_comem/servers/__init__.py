"""Real MCP servers and databases for workflows, each workflow's own and in sandboxes."""
