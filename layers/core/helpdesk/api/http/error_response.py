"""The response for an error, with what a client needs to go on: the limits, or where to log in."""

import json
from typing import Any

from helpdesk.api.http.content import BaseUrl
from helpdesk.api.http.gateway import Request, answer
from helpdesk.platform.errors import BASE_URL, AppError, InvalidToken
from helpdesk.platform.settings import settings

UNAUTHORIZED = 401


def base_url(request: Request) -> BaseUrl:
    """Return the address that `/v1` follows: the deployment's own, else the one that the request was sent to."""
    return BaseUrl(settings().base_url or request.address)


def error_answer(error: AppError, headers: dict[str, str], request: Request) -> dict[str, Any]:
    """Return the response for an error; `headers` are those that the response would have had without it."""
    # The rate limit headers stay, so that an error response shows what is left.
    if BASE_URL in error.message:
        error.message = error.message.replace(BASE_URL, base_url(request))
    text = json.dumps(error.to_object(), separators=(",", ":"))
    every = {**headers, **error.headers}
    if error.status == UNAUTHORIZED:
        # An OAuth client learns here where to log in (RFC 9728, section 5.1).
        metadata = f"{base_url(request)}/v1/.well-known/oauth-protected-resource"
        problem = ', error="invalid_token"' if error.code == InvalidToken.code else ""
        every.setdefault("www-authenticate", f'Bearer resource_metadata="{metadata}"{problem}')
    return answer(error.status, "application/json", text, every)
