"""Linear: issues of signals."""
