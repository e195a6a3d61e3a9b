"""Provers: one interface, Coq and Lean behind it, and what runs them apart from everything else."""
