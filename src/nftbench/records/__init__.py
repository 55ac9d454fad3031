"""The files of a run: what they hold, and how they are read and written."""
