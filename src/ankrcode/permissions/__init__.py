"""Who may do what: one decision function, used by every door."""
