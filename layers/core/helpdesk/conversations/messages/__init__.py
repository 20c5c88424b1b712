"""Visitors' messages: writing one, reading the thread back, and rating it."""
