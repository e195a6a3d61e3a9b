"""ContextWeave's data: streams of office tasks, what is public of them and what is hidden."""
