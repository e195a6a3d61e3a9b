"""Rules that decide whether a run is good enough, and how they are judged."""
