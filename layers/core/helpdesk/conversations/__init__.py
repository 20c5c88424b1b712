"""Conversations: their thread, who holds them, whether they are settled."""
