"""check-endpoint: a look at a server, what was found, what to set."""
