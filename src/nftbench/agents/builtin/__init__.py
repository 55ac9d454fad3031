"""Agents that need no model: the reference, baselines, random and scripted play, and their catalog."""
