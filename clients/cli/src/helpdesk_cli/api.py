"""An authenticated client of the API."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import httpx

from helpdesk_cli import short_ids
from helpdesk_cli.credentials import Credential
from helpdesk_cli.problems import NotHelpdesk, Refusal
from helpdesk_cli.web import JSON, Web

LARGEST_PAGE = 200
_MOST_EMPTY_PAGES = 100

Object = dict[str, Any]


class Api:
    """Calls with a credential. Each returns the JSON object of the response. Errors: Problem."""

    def __init__(self, web: Web, credential: Credential, *, waits: bool = True) -> None:
        """With `waits` a GET or POST that the service is too busy for is sent again after Retry-After."""
        self._web, self._credential, self._waits = web, credential, waits

    def get(self, *path: str, **params: str | int | None) -> Object:
        """GET /v1/<path>. Parameters that are None are omitted."""
        return self._call("GET", path, params=params)

    def post(self, *path: str, body: Object | None = None, **params: str | int | None) -> Object:
        """POST with a new Idempotency-Key, so that a retry does not run the request twice."""
        return self._call("POST", path, body=body, params=params)

    def put(self, *path: str, body: Object) -> Object:
        """PUT and return the answer."""
        return self._call("PUT", path, body=body)

    def patch(self, *path: str, body: Object) -> Object:
        """PATCH."""
        return self._call("PATCH", path, body=body)

    def delete(self, *path: str, **params: str | int | None) -> Object:
        """DELETE. Parameters that are None are omitted."""
        return self._call("DELETE", path, params=params)

    def pages(self, *path: str, name: str, limit: int, **params: str | int | None) -> Iterator[Object]:
        """Return the pages of a list, following nextCursor, up to `limit` entries of `name`.

        Errors: NotHelpdesk where the list does not end.
        """
        left, empty = limit, 0
        cursor: str | None = None
        while True:
            page = self.get(*path, limit=min(left, LARGEST_PAGE), cursor=cursor, **params)
            yield page
            left -= len(page[name])
            empty = 0 if page[name] else empty + 1
            before, cursor = cursor, page.get("nextCursor")
            if left <= 0 or cursor is None:
                return
            if cursor == before or empty > _MOST_EMPTY_PAGES:
                raise NotHelpdesk(self._web.base_url, f"its list of {name} does not end")

    def listed(self, *path: str, name: str, limit: int, **params: str | int | None) -> Object:
        """Return a list as if it were one page. Its nextCursor is that of the last page."""
        whole: Object = {}
        for page in self.pages(*path, name=name, limit=limit, **params):
            whole = {**page, name: [*whole.get(name, []), *page[name]]}
        return whole

    def csv(self, *path: str, **params: str | int | None) -> Iterator[str]:
        """Return the pages of a list as CSV, which together are one file: the first has the header row.

        Errors: NotHelpdesk where the list does not end.
        """
        cursor: str | None = None
        while True:
            before = cursor
            answer = self._answer("GET", path, params={**params, "cursor": cursor}, accept="text/csv")
            text = self._web.csv_of(answer)
            cursor = httpx.URL(answer.links.get("next", {}).get("url", "")).params.get("cursor")
            yield text if before is None else text.partition("\r\n")[2]
            if cursor is None:
                return
            if cursor == before:
                raise NotHelpdesk(self._web.base_url, f"its list of {path[0]} does not end")

    def _call(
        self, method: str, path: tuple[str, ...], *, body: Object | None = None, params: Object | None = None
    ) -> Object:
        return self._web.json_of(self._answer(method, path, body=body, params=params))

    def _answer(
        self,
        method: str,
        path: tuple[str, ...],
        *,
        body: Object | None = None,
        params: Object | None = None,
        accept: str = JSON,
    ) -> httpx.Response:
        """Send a request. If the token is rejected as invalid, renew it and send once more: that request never ran."""
        path = tuple(self.whole(part) for part in path)
        body = None if body is None else {name: self.whole(value) for name, value in body.items()}
        address = "/v1/" + "/".join(quote(part, safe="") for part in path)
        given = {name: self.whole(value) for name, value in (params or {}).items() if value is not None}
        key = str(uuid4()) if method == "POST" else None
        send = partial(
            self._web.send,
            method,
            address,
            body=body,
            params=given or None,
            idempotency_key=key,
            waits=self._waits,
            accept=accept,
        )
        token = self._credential.token()
        try:
            return self._web.successful(send(token=token))
        except Refusal as refusal:
            if refusal.code != "invalid_token":
                raise
            renewed = self._credential.renewed(token)
            if renewed is None:
                raise
        return self._web.successful(send(token=renewed))

    def whole(self, value: Any) -> Any:
        """Return the ID that begins like a value; every other value as it is."""
        return short_ids.whole(self.get, value) if short_ids.is_beginning(value) else value
