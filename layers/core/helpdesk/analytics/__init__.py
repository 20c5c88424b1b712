"""Analytics: figures about an organization's work."""
