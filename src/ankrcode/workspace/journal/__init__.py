"""What changed, by which call, and how to take it back: files, folders, links, shell commands."""
