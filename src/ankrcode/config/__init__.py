"""Settings, limits, places and secrets: what the person and the machine decided beforehand."""
