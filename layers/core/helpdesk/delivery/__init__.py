"""Deliveries: the signed HTTP POST of each event to each endpoint that asked for it, and its retries."""
