"""The API reference as a web page, rendered from the OpenAPI document."""
