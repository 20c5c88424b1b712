"""Customers: who writes to the organization, as far as they have said."""
