"""A run: what it is, what is left to do, who does it, and when it stops."""
