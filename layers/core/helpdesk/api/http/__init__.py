"""What goes in and out over HTTP: schemas, validation, content types, API Gateway events, pages of a list."""
