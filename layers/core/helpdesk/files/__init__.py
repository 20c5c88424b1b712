"""Files: what is attached to messages."""
