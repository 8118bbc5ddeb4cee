"""Processes: started, read, bounded, ended with all they began."""
