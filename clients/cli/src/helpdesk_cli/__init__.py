"""Helpdesk on the command line. A client of the HTTP API and of nothing else."""

__version__ = "0.1.0"
