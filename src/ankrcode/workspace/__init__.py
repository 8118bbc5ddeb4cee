"""The outside world behind small protocols. Takes plain values; knows no settings, no tools."""
