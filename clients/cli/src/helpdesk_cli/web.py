"""HTTP: requests, responses and safe retries."""

from __future__ import annotations

import email.utils
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import httpx

from helpdesk_cli import __version__
from helpdesk_cli.address import is_loopback
from helpdesk_cli.problems import NotHelpdesk, Problem, Refusal, Unreachable

TIMEOUT_SECONDS = 30.0
JSON = "application/json"
TRIES = 4
"""The maximum number of times that a GET, or a request with an Idempotency-Key, is sent."""
CONFLICT = 409
LONGEST_WAIT_SECONDS = 60.0
"""A longer Retry-After ends the command with an error instead of a wait."""

Parameters = Mapping[str, "str | int"]


class Web:
    """A service, over HTTPS or on this machine. Redirects are not followed: the token is for this address only."""

    def __init__(
        self,
        base_url: str,
        *,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
        now: Callable[[], float] = time.time,
        on_wait: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.base_url = base_url
        self._sleep, self._now, self._on_wait = sleep, now, on_wait
        self._client = httpx.Client(
            transport=transport,
            timeout=TIMEOUT_SECONDS,
            # Proxies from the environment are for other machines. Traffic to this one would pass them unencrypted.
            trust_env=not is_loopback(httpx.URL(base_url).host),
            headers={"user-agent": f"helpdesk-cli/{__version__}"},
        )

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def send(
        self,
        method: str,
        path: str,
        *,
        token: str | None = None,
        body: Any = None,
        form: Mapping[str, str] | None = None,
        params: Parameters | None = None,
        idempotency_key: str | None = None,
        waits: bool = True,
        accept: str = JSON,
    ) -> httpx.Response:
        """Send a request, retry where that is safe, and return the last response. Errors: Unreachable, NotHelpdesk.

        With an `idempotency_key` the service runs the request once, however often it arrives. So it is also sent again
        if no response arrives. Without `waits` a 429 or 503 is returned at once, for a caller that waits itself.
        """
        headers = {"accept": accept} | ({} if token is None else {"authorization": f"Bearer {token}"})
        if idempotency_key is not None:
            headers["idempotency-key"] = idempotency_key
        for left in reversed(range(TRIES)):
            try:
                answer = self._once(method, path, headers=headers, json=body, data=form, params=params)
            except Unreachable as problem:
                if idempotency_key is None or not problem.sent or not left:
                    raise
                self._on_wait("No response. Retrying.")
                self._sleep(1.0)
                continue
            is_safe = method == "GET" or idempotency_key or _code_of(answer) == "conflict"
            wait = self._wait_before_next(answer, waits) if is_safe else None
            if wait is None or not left:
                return answer
            self._on_wait(f"The service is busy. Retrying in {wait:.0f} s.")
            self._sleep(wait)
        raise AssertionError("TRIES is at least one")

    def upload(self, address: str, fields: Mapping[str, str], file: Path) -> None:
        """Send a file with a form to a storage, without the credential. Errors: Problem."""
        try:
            with file.open("rb") as content:
                answer = self._client.post(address, data=dict(fields), files={"file": (file.name, content)})
        except httpx.HTTPError as problem:
            raise Problem(f"{file.name} was not uploaded ({_reason(problem)}).", "Try again.") from None
        if not answer.is_success:
            raise Problem(f"{file.name} was not uploaded (status {answer.status_code}).", "Try again.")

    def retry_after(self, answer: httpx.Response) -> float | None:
        """Return Retry-After in seconds; it may be a date (RFC 9110, section 10.2.3). None without a valid one."""
        said = answer.headers.get("retry-after", "").strip()
        if said.isascii() and said.isdigit():
            return float(said)
        try:
            moment = email.utils.parsedate_to_datetime(said)
        except (ValueError, TypeError):
            return None
        return max(0.0, moment.timestamp() - self._now())

    def object_of(self, answer: httpx.Response) -> dict[str, Any]:
        """Return the JSON object of a successful response. Errors: Refusal, NotHelpdesk."""
        return self.json_of(self.successful(answer))

    def successful(self, answer: httpx.Response) -> httpx.Response:
        """Return a response that is successful. Errors: Refusal, NotHelpdesk."""
        if answer.is_success:
            return answer
        error = self.json_of(answer).get("error")
        if not isinstance(error, dict):
            raise NotHelpdesk(self.base_url, f"status {answer.status_code}")
        raise Refusal(
            answer.status_code,
            str(error.get("code")),
            str(error.get("message")),
            retry_after=self.retry_after(answer),
            request_id=answer.headers.get("x-request-id"),
        )

    def csv_of(self, answer: httpx.Response) -> str:
        """Return the CSV of a successful response. Errors: NotHelpdesk."""
        if not answer.headers.get("content-type", "").startswith("text/csv"):
            raise NotHelpdesk(self.base_url, f"status {answer.status_code} without CSV")
        return answer.text

    def json_of(self, answer: httpx.Response) -> dict[str, Any]:
        """Return the JSON object of any response. Errors: NotHelpdesk."""
        if answer.is_redirect:
            raise NotHelpdesk(self.base_url, f"it redirects to {answer.headers.get('location', '')}")
        try:
            content = answer.json()
        except (ValueError, RecursionError):
            content = None
        if not isinstance(content, dict):
            raise NotHelpdesk(self.base_url, f"status {answer.status_code} without a JSON object")
        return content

    def _once(self, method: str, path: str, **sent: Any) -> httpx.Response:
        try:
            return self._client.request(method, f"{self.base_url}{path}", **sent)
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.ProxyError) as problem:
            raise Unreachable(self.base_url, _reason(problem)) from None
        except httpx.TransportError as problem:
            raise Unreachable(self.base_url, _reason(problem), sent=True, method=method) from None
        except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as problem:
            raise Problem(f"The request to {self.base_url} failed ({_reason(problem)}).") from None

    def _wait_before_next(self, answer: httpx.Response, waits: bool) -> float | None:  # noqa: FBT001
        """Return how long to wait before sending the request again; None if that would not help."""
        is_busy = _code_of(answer) in {"conflict", "idempotency_in_progress"}
        if not (waits and answer.status_code in {429, 503}) and not is_busy:
            return None
        wait = self.retry_after(answer)
        if wait is None:
            return 1.0
        return max(1.0, wait) if wait <= LONGEST_WAIT_SECONDS else None


def _code_of(answer: httpx.Response) -> str | None:
    """Return the error code of a 409.

    With `idempotency_in_progress` an earlier request with the same key still runs. With `conflict` others changed the
    same data, and this request changed nothing.
    """
    if answer.status_code != CONFLICT:
        return None
    try:
        return str(answer.json()["error"]["code"])
    except (ValueError, LookupError, TypeError, RecursionError):
        return None


def _reason(problem: Exception) -> str:
    if isinstance(problem, httpx.TimeoutException):
        return f"none within {TIMEOUT_SECONDS:.0f} s"
    return str(problem) or type(problem).__name__
