"""Worker processes: functions that run in a process of their own, one a core, for whoever needs more than one core."""
