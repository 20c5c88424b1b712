"""Idempotency-Key: a POST that is repeated changes things once."""
