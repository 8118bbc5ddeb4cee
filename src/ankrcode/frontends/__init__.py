"""Doors into the core. Each reads events and answers questions; none knows a concrete tool."""
