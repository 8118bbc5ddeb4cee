"""The second wall: what a process may reach, enforced by the system instead of by us."""
