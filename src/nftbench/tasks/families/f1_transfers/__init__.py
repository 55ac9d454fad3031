"""F1: transfers."""
