"""Conversations that outlive their process: the truth is one readable log file per session."""
