"""From the history of somebody's documents to a stream of office tasks."""
