"""Conversations: their threads, their states, and the lists of the inbox."""
