"""The organization's log: changes to its keys, members, settings and webhooks, and reached limits."""
