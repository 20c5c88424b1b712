"""The sentences that a visitor reads: defaults in seven languages, and an organization's own in their place."""
