"""The API around every noun: who may call, bodies and pages, repeated requests, routes, the log, the reference page."""
