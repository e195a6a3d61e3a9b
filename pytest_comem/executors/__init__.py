"""Who runs a workflow's nodes, and what a domain brings for it."""
