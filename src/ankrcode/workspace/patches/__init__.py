"""Patches: read, placed, and carried out over many files."""
