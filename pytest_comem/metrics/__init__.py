"""Pass and fail rolled up into the papers' metrics."""
