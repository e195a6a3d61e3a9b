"""Episodes played as tasks on an existing Dask cluster."""
