"""F14: safety. Others lie in wait, mislead, and put words in the agent's way."""
