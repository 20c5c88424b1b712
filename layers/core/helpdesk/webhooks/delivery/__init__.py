"""Deliveries: the signed HTTP POST of each event to each endpoint that listens to it, and its retries."""
