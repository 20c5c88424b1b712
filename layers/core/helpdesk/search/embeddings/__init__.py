"""Turns texts into vectors, so that texts of similar meaning have similar vectors."""
