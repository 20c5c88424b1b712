"""The help site of an organization: its settings, and the pages that customers read."""
