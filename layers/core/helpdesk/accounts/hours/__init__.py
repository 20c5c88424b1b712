"""Office hours and response targets: when a waiting conversation is due."""
