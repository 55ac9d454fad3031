"""Reading a model's message and the calls in it, in every notation."""
