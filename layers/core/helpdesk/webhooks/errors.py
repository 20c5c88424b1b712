"""Errors of the webhook routes (Specification: Errors, Keys, webhooks, tool endpoints)."""

from helpdesk.platform.errors import AppError

MAX_WEBHOOK_ENDPOINTS = 10


class NoEvents(AppError):
    """The list of events is empty."""

    status, code = 400, "no_events"
    message = "Name at least one event in `events`, such as message.created."


class TooManyEndpoints(AppError):
    """The organization already has the maximum number of webhook endpoints."""

    status, code = 400, "too_many_endpoints"
    message = f"Remove one of the {MAX_WEBHOOK_ENDPOINTS} webhook endpoints first."


class EndpointNotFound(AppError):
    """The organization has no such webhook endpoint."""

    status, code = 404, "endpoint_not_found"
    message = "No webhook endpoint has this ID in your organization."
