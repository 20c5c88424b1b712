"""Helpdesk on the command line. It uses the HTTP API only."""

__version__ = "0.1.0"
