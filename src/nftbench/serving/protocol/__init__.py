"""MCP itself: the only modules that import the `mcp` package. Nothing imports them before they are needed:
`commands/serve_mcp.py` does, by name.
"""
