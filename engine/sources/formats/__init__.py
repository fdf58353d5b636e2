"""Readers of recorded runs, recognised by content."""
