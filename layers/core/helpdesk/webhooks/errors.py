"""Errors of the webhook routes (Specification: Errors, Keys, webhooks, tool endpoints)."""

from helpdesk.platform.errors import BadRequestError, NotFoundError

MAX_WEBHOOK_ENDPOINTS = 10


class NoEvents(BadRequestError):
    code = "no_events"
    message = "`events` must name at least one event, such as message.created."


class TooManyEndpoints(BadRequestError):
    code = "too_many_endpoints"
    message = f"An organization can have at most {MAX_WEBHOOK_ENDPOINTS} webhook endpoints. Delete one first."


class EndpointNotFound(NotFoundError):
    code = "endpoint_not_found"
    message = "No webhook endpoint has this ID in your organization. GET /v1/webhooks lists them."
