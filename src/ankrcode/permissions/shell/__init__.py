"""A command line read and played through as bash would, without running it."""
