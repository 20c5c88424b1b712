"""The issue tracker, Linear: issues of signals."""
