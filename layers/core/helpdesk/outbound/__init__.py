"""Requests to servers that customers name: signatures, the address guard and the sender."""
