"""Errors of repeated requests with an Idempotency-Key."""

from helpdesk.platform.errors import AppError, ConflictError


class IdempotencyMismatch(AppError):
    status, code = 422, "idempotency_mismatch"
    message = (
        "This Idempotency-Key was used with another body or query. Repeat the request unchanged, or use a new key "
        "for a new request."
    )


class IdempotencyInProgress(ConflictError):
    code = "idempotency_in_progress"
    message = "The first request with this Idempotency-Key is still running. Retry after the seconds in Retry-After."


class IdempotencyAnswerLost(ConflictError):
    code = "idempotency_answer_lost"
    message = (
        "The first request with this Idempotency-Key succeeded, but its response was lost. Read what it created or "
        "changed. To run the request again, use a new key."
    )


class IdempotencyAnswerWithheld(ConflictError):
    """The first request with this Idempotency-Key succeeded; its response contained a secret, which is shown once."""

    code = "idempotency_answer_withheld"
    message = (
        "The first request with this Idempotency-Key succeeded. Its response contained a secret, which is shown once "
        "and not stored."
    )
