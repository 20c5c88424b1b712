"""Bugs and suggestions that customers report: signals, who reported them, and commits that may finish them."""
