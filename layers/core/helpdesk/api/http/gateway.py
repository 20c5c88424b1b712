"""API Gateway's events and responses (REST API, payload version 1.0), and the matching of paths to routes.

It is written here, because libraries for it import the types of every other event source (docs/decisions/0030).
"""

import hmac
import ipaddress
import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, NamedTuple

from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.settings import settings

PROXY_SECRET = "x-proxy-secret"  # noqa: S105 - the name of a header
"""The header by which a CloudFront distribution is known whose word for the caller's address counts."""

_VIEWER = "cloudfront-viewer-address"
_ROOT = re.compile(r"/(?:v1|site|console)(?:/|$)")
_MAX_COMPARED_CHARACTERS = 200
"""A longer path is no misspelling of one of ours."""
_SIMILARITY = 0.75
_PARAMETER = re.compile(r"<(\w+)>")


class Request(NamedTuple):
    """A request, as an event describes it.

    Names of `headers` are lower case. `query` has every value of a parameter in order. `body` is in Base64 if
    `is_base64`. `id` is the gateway's request id, for `x-request-id`. `address` is the URL of the API without a slash
    at its end. It comes from the gateway, never from the caller's Host header. `source_ip` is the caller's address as
    the gateway reports it, empty if it reports none. Headers do not affect it, except those of the deployment's own
    CloudFront distribution, which proves itself by a secret (docs/decisions/0114).
    """

    method: str
    path: str
    headers: Mapping[str, str]
    query: Mapping[str, list[str]]
    body: str | None
    is_base64: bool
    id: str
    address: str
    source_ip: str

    @classmethod
    def from_event(cls, event: Mapping[str, Any]) -> "Request":
        """Read an event."""
        context: Mapping[str, Any] = event.get("requestContext") or {}
        headers = {name.lower(): value for name, value in (event.get("headers") or {}).items()}
        reported = (context.get("identity") or {}).get("sourceIp") or ""
        once: Mapping[str, str] = event.get("queryStringParameters") or {}
        return cls(
            method=event["httpMethod"],
            path=_path_of_the_api(event["path"]),
            source_ip=_address_of_caller(headers.pop(PROXY_SECRET, None), headers.get(_VIEWER), reported),
            headers=headers,
            query=event.get("multiValueQueryStringParameters") or {name: [once[name]] for name in once},
            body=event.get("body"),
            is_base64=bool(event.get("isBase64Encoded")),
            id=context.get("requestId") or "",
            address=f"https://{context.get('domainName', '')}{_base_path(context)}",
        )


def _address_of_caller(secret: str | None, viewer: str | None, reported: str) -> str:
    """Return the address that CloudFront names if the request proves to come through it, else the gateway's word.

    CloudFront writes the address with the port, and overwrites what the caller sends in this header.
    """
    wanted = settings().proxy_secret_hash
    if not wanted or secret is None or viewer is None or not hmac.compare_digest(sha256_hex(secret), wanted):
        return reported
    address = viewer.rpartition(":")[0].strip("[]")
    try:
        return str(ipaddress.ip_address(address))
    except ValueError:
        return reported


def _base_path(context: Mapping[str, Any]) -> str:
    """Return what precedes the API's own paths: the stage, or the base path of a custom domain.

    The context's path is the one that was requested; a custom domain's lacks the stage.
    """
    requested = context.get("path") or ""
    root = _ROOT.search(requested)
    return requested[: root.start()] if root is not None else f"/{context.get('stage', '')}"


def _path_of_the_api(path: str) -> str:
    """Return a path without the prefix of a custom domain's base path mapping."""
    root = _ROOT.search(path)
    return path[root.start() :] if root is not None else path


def cookie(headers: Mapping[str, str], name: str) -> str | None:
    """Return the value of a cookie; None without one, and with two: one of them is not ours."""
    pairs = [part.strip().partition("=") for part in (headers.get("cookie") or "").split(";")]
    values = [value for found, _, value in pairs if found == name]
    return values[0] if len(values) == 1 else None


def answer(
    status: int, media_type: str, body: str, headers: Mapping[str, str], *, is_base64: bool = False
) -> dict[str, Any]:
    """Return a response in the gateway's format; with `is_base64` the gateway decodes the body."""
    described = {} if status == HTTPStatus.NOT_MODIFIED else {"content-type": media_type}
    every = {**described, **headers}
    return {
        "statusCode": status,
        "multiValueHeaders": {name: [value] for name, value in every.items()},
        "body": body,
        "isBase64Encoded": is_base64,
    }


class Paths[R]:
    """Matches a method and path to a route.

    In a template such as `/v1/webhooks/<endpoint_id>`, a parameter is one whole, non-empty segment. A literal segment
    takes precedence over a parameter. Slashes at the end make no difference.
    """

    def __init__(self) -> None:
        self._by_length: dict[tuple[str, int], list[tuple[list[str], R]]] = {}
        self._methods: dict[str, list[str]] = {}

    def add(self, method: str, template: str, route: R) -> None:
        """Add a route."""
        self._methods.setdefault(template, []).append(method)
        segments = template.split("/")
        entries = self._by_length.setdefault((method, len(segments)), [])
        entries.append((segments, route))
        entries.sort(key=lambda entry: [_PARAMETER.fullmatch(segment) is not None for segment in entry[0]])

    def find(self, method: str, path: str) -> tuple[R, dict[str, str]] | None:
        """Return the route with the values of its parameters, or None."""
        parts = path.rstrip("/").split("/")
        for segments, route in self._by_length.get((method, len(parts)), []):
            values = _values(segments, parts)
            if values is not None:
                return route, values
        return None

    def methods(self, path: str) -> list[str]:
        """Return the methods that routes have at a path, in order of their names; none if no route has the path."""
        return sorted(
            method
            for method in {each for methods in self._methods.values() for each in methods}
            if self.find(method, path)
        )

    def nearest(self, path: str) -> tuple[str, list[str]] | None:
        """Return the template of the path that was probably meant, with its methods; None if no path resembles it.

        Only literal segments are compared, so that a long id makes no path similar to another.
        """
        # Only an error needs it, and an import takes time at the start of every function.
        from difflib import SequenceMatcher  # noqa: PLC0415

        parts = path.casefold().removeprefix("/v1").strip("/").split("/")
        if len(path) > _MAX_COMPARED_CHARACTERS:
            return None
        best, template = _SIMILARITY, None
        for each in self._methods:
            segments = each.removeprefix("/v1/").split("/")
            if len(segments) != len(parts):
                continue
            meant = "/".join("" if _PARAMETER.fullmatch(segment) else segment for segment in segments)
            sent = "/".join(
                "" if _PARAMETER.fullmatch(segment) else part
                for segment, part in zip(segments, parts, strict=True)
            )
            similarity = SequenceMatcher(None, sent, meant).ratio()
            if similarity > best:
                best, template = similarity, each
        return None if template is None else (template, sorted(self._methods[template]))


def _values(segments: list[str], parts: list[str]) -> dict[str, str] | None:
    values: dict[str, str] = {}
    for segment, part in zip(segments, parts, strict=True):
        if segment == part:
            continue
        parameter = _PARAMETER.fullmatch(segment)
        if parameter is None or not part:
            return None
        values[parameter[1]] = part
    return values
