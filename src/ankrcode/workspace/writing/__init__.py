"""Files changed whole or not at all, and tidied up after a crash."""
