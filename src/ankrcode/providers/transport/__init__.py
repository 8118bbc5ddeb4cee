"""How requests travel: HTTP/1.1 over TLS and proxies, and how they say who asks."""
