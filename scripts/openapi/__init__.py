"""The OpenAPI document, generated from the route declarations: `make openapi`.

No function imports this package. functions/docs serves the document that it writes.
"""
