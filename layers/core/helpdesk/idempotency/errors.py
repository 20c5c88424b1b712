"""What a repeat under an Idempotency-Key can be refused for."""

from helpdesk.platform.errors import RequestError


class IdempotencyMismatch(RequestError):
    """The Idempotency-Key was used for another request: its body or its query was not this one."""

    status, code = 422, "idempotency_mismatch"
    message = (
        "This Idempotency-Key came with another body or query before. Repeat a request as it was, and give another "
        "request a key of its own."
    )


class IdempotencyInProgress(RequestError):
    """The first request with this Idempotency-Key is still running."""

    status, code = 409, "idempotency_in_progress"
    message = (
        "The first request with this Idempotency-Key still runs. Repeat it after the seconds in Retry-After."
    )


class IdempotencyAnswerLost(RequestError):
    """The first request with this Idempotency-Key was carried out, but its answer was lost before it was kept."""

    status, code = 409, "idempotency_answer_lost"
    message = (
        "The first request with this Idempotency-Key was carried out, but its answer was lost. Read what it made or "
        "changed; to do it once more, send it with another key."
    )


class IdempotencyAnswerWithheld(RequestError):
    """The first request with this Idempotency-Key was carried out; its answer held a secret, which is told once."""

    status, code = 409, "idempotency_answer_withheld"
    message = (
        "The first request with this Idempotency-Key was carried out, and its answer held a secret that is told once "
        "and not kept."
    )
