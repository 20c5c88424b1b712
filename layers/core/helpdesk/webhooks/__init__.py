"""Webhook endpoints: the URLs that an organization receives events at, and the kinds of event."""
