"""Idempotency-Key: a repeated POST changes things once."""
