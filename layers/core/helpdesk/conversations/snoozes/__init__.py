"""Snoozing conversations: hiding one from the inbox until a time, and waking it then."""
