"""How a run is played: episodes on threads, outcomes in order, a directory that survives."""
