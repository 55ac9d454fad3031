"""Grading: the final world against the goals and the frame."""

GRADER_VERSION = "2"
