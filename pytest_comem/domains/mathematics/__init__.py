"""Formal mathematics: proofs that Coq or Lean compile in an isolated copy of a small library."""
