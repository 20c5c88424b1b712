"""Webhook endpoints: where an organization listens, and to what."""
