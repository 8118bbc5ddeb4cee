"""Rules in the syntax people already have."""
