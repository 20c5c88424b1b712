"""Ratings: how visitors found what was done for them."""
