"""Call a local stack's API, and run the operator's command against it."""

import http.client
import json
import subprocess
import sys
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from scripts.local import build
from scripts.local.settings import ACCOUNT, REGION, ROOT, STACK_NAME, StackSettings

REQUEST_SECONDS = 60


class RefusedError(Exception):
    """The operator's command failed; the message is its last line."""


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


def operate(settings: StackSettings, *words: str) -> dict[str, str]:
    """Run the operator's command in a process of its own and return what it prints. Errors: RefusedError."""
    stack = ["--stack-name", STACK_NAME, "--region", REGION, "--endpoint-url", settings.endpoint_url]
    done = subprocess.run(
        [sys.executable, "-m", "scripts.admin", *stack, *words],
        cwd=ROOT,
        env=build.tool_environment() | ACCOUNT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=REQUEST_SECONDS,
        check=False,
    )
    if done.returncode != 0:
        raise RefusedError(done.stderr.strip().rpartition("\n")[2])
    printed: dict[str, str] = json.loads(done.stdout)
    return printed
