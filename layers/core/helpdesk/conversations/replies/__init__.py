"""Saved replies: texts that teammates send often."""
