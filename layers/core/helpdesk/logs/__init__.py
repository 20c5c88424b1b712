"""The organization's log: what happened to its keys, members, settings, limits and webhooks."""
