"""E-mail to people: texts, rendering, rate limits and sending."""
