"""Bugs and suggestions that customers report."""
