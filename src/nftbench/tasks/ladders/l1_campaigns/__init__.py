"""L1: campaigns, to-do lists of requests over one shared world; the size is how many requests there are.

A part is a case of the other families, told in a scene of its own (`part_scene`) and put together with the others by
`composing`, which refuses what does not go together. What can be a part stands in `requests`. A composed play (`plays`) has
the parts' own policies take turns.
"""
