"""Calls as text, for models that have no tool calls of their own."""
