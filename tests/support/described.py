"""Holding answers to the description of the API: whatever a test asks, no answer may be one that is not described.

The description is the one that the code gives at this moment, not the file, so that a new route can be tried before
`make openapi`. Objects are taken as closed here: a field that goes out undescribed is a defect.
"""

import copy
import re
from functools import cache, lru_cache
from typing import Any
from urllib.parse import quote, urlsplit

from jsonschema_rs import Draft202012, Draft202012Validator, Registry

from scripts.openapi.document import document

_DESCRIPTION = "urn:helpdesk:description"
_JSON = ("content", "application/json", "schema")


def require_described(method: str, url: str, status: int, headers: dict[str, str], body: Any) -> None:
    """Fail where an answer is not one that the description has for this request."""
    where = f"{method} {url} answered {status}"
    operation = operation_for(method, urlsplit(url).path)
    if operation is None:
        assert (status, body["error"]["code"]) == (404, "not_found"), (
            f"{where}, and no such route is described"
        )
        return
    answer = _answer(operation, str(status))
    assert answer is not None, f"{where}, which is not described"
    for name, header in answer["headers"].items():
        if _resolved(header).get("required"):
            assert name.lower() in headers, f"{where} without the header {name}"
    content = answer.get("content", {})
    media_type = headers.get("content-type", "").split(";")[0]
    if content:
        assert media_type in content, f"{where} as {media_type}, which is not described"
    if media_type == "application/json":
        problem = next(_validator(operation["operationId"], str(status)).iter_errors(body), None)
        assert problem is None, f"{where} with another body: {problem}"


def require_described_event(body: Any) -> None:
    """Fail where a webhook's body is not as described."""
    _validator_of("webhooks", body["type"], "post", "requestBody", *_JSON).validate(body)


@lru_cache(maxsize=10_000)
def operation_for(method: str, path: str) -> dict[str, Any] | None:
    """Return what is described for a request, None where nothing is."""
    for pattern, item in _patterns():
        if pattern.fullmatch(path) and method.lower() in item:
            found: dict[str, Any] = item[method.lower()]
            return found
    return None


@cache
def _patterns() -> list[tuple[re.Pattern[str], dict[str, Any]]]:
    return [
        (re.compile(re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(path))), item)
        for path, item in _closed()["paths"].items()
    ]


def _answer(operation: dict[str, Any], status: str) -> dict[str, Any] | None:
    answer = operation["responses"].get(status)
    return None if answer is None else _resolved(answer)


def _resolved(part: dict[str, Any]) -> dict[str, Any]:
    if "$ref" not in part:
        return part
    found: Any = _closed()
    for name in part["$ref"].removeprefix("#/").split("/"):
        found = found[name]
    resolved: dict[str, Any] = found
    return resolved


@cache
def _validator(operation_id: str, status: str) -> Draft202012Validator:
    [place] = [
        ("paths", path, method, "responses", status)
        for path, item in _closed()["paths"].items()
        for method, operation in item.items()
        if operation["operationId"] == operation_id
    ]
    reference = _closed()["paths"][place[1]][place[2]]["responses"][status].get("$ref")
    return _validator_of(*(reference.removeprefix("#/").split("/") if reference else place), *_JSON)


@cache
def _validator_of(*place: str) -> Draft202012Validator:
    """Return the validator of the schema at a place of the description."""
    pointer = "".join("/" + part.replace("~", "~0").replace("/", "~1") for part in place)
    return Draft202012Validator({"$ref": f"{_DESCRIPTION}#{quote(pointer)}"}, registry=_registry())


@cache
def _registry() -> Registry:
    """Return the description as validators refer to it: taken apart once, not for each of them."""
    return Registry([(_DESCRIPTION, _closed())], draft=Draft202012)


@cache
def _closed() -> dict[str, Any]:
    closed = copy.deepcopy(document())
    for schema in closed["components"]["schemas"].values():
        if "properties" in schema:
            schema["additionalProperties"] = False
    return closed
