"""Mira Lindqvist, who reports on customers of an invented company in three projects."""
