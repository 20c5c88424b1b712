"""Mail to teammates: what waits for them in the inbox."""
