"""Ratings: how visitors rate resolved conversations."""
