"""Routes: a declared function becomes an endpoint, with admission, idempotency and error handling around it."""
