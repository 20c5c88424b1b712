"""E-mail: what is written to people, and the service that sends it."""
