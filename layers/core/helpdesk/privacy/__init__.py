"""Data export, erasure and retention."""
