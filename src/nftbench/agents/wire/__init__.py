"""One HTTP exchange: transport, openers, proxies, secrets, and the lines of events.jsonl."""
