"""Where an edit belongs in a text, and what it makes of it. Pure."""
