"""What others could do with what the agent left: tried out on copies of the final world, now and after some time."""
