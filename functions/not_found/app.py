"""Every path that no group serves returns 404 not_found, with or without a credential.

openapi.json beside this file is a link to docs/openapi.json. From it the message names the path that was meant.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

from helpdesk.api.http.error_response import error_answer
from helpdesk.api.http.gateway import Paths, Request
from helpdesk.api.routing.api import no_route
from helpdesk.platform.settings import declare

NEEDS = declare("BASE_URL")

_DOCUMENT = Path(__file__).with_name("openapi.json")


@cache
def _paths() -> Paths[None]:
    """Return the paths of every group. They are read once per execution environment, by its first request."""
    paths: Paths[None] = Paths()
    for path, operations in json.loads(_DOCUMENT.read_text(encoding="utf-8"))["paths"].items():
        for method in operations:
            paths.add(method.upper(), path.replace("{", "<").replace("}", ">"), None)
    return paths


def handler(event: dict[str, Any], _context: object) -> dict[str, Any]:
    """Handle an API Gateway REST event."""
    request = Request.from_event(event)
    refused = no_route(_paths(), request.method, request.path)
    return error_answer(refused, {"x-request-id": request.id}, request)
