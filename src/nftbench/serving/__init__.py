"""One attempt served to a program that acts through its own loop: the session, its place in a run's folder, and MCP."""
