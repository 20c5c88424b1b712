"""Crawls: reading the pages of a website into knowledge documents, and keeping them current."""
