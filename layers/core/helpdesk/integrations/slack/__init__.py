"""Slack: conversations as threads of a channel."""
