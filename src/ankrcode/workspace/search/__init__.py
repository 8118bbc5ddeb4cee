"""Names and contents searched, with ripgrep or in Python: the same answers."""
