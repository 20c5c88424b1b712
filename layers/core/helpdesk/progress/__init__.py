"""What moves a signal and its card together, and what follows from it: merges, messages to reporters, references."""
