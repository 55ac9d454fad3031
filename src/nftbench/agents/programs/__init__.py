"""Agent programs: presets, what they print, and running one."""
