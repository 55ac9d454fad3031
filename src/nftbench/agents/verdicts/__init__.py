"""What an outcome means: completions, errors, overflow, retry hints, served names."""
