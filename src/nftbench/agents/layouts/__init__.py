"""How a conversation is laid out for a server: as text items, or with native tool calls."""
