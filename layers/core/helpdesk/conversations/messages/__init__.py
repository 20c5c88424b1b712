"""Visitors' messages: writing one, and reading the thread back."""
