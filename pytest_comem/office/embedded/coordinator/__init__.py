"""Ines Halvorsen, coordinator of three programmes of an invented foundation."""
