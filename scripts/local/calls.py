"""Call a local stack's API."""

import http.client
import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from scripts.local.settings import StackSettings

REQUEST_SECONDS = 60


def call(
    settings: StackSettings, credential: str, method: str, path: str, body: Mapping[str, Any] | None = None
) -> tuple[int, dict[str, Any]]:
    """Call the API; return the status and the JSON object. Status 0 means that the connection failed."""
    address = urlsplit(settings.base_url)
    connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=REQUEST_SECONDS)
    try:
        connection.request(
            method,
            address.path + path,
            body=None if body is None else json.dumps(body).encode(),
            headers={"authorization": f"Bearer {credential}", "content-type": "application/json"},
        )
        response = connection.getresponse()
        answer = json.loads(response.read() or b"{}")
    except (OSError, ValueError, http.client.HTTPException) as problem:
        return 0, {"problem": str(problem)}
    finally:
        connection.close()
    return response.status, answer if isinstance(answer, dict) else {}
