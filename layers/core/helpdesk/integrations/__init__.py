"""Connections to other services: how they are made, what comes in, what goes out. Each service is an adapter."""
