"""Customers: who writes, as far as they have told."""
