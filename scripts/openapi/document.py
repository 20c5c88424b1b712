"""Builds the OpenAPI 3.1 document from the routes, their models and their errors."""

import re
from functools import cache
from http import HTTPStatus
from typing import Any

from helpdesk.accounts.oauth.errors import OAuthError
from helpdesk.api.admission.caller import Access, KeyRule
from helpdesk.api.http.content import Content
from helpdesk.api.http.schemas import requires_a_field
from helpdesk.api.http.validation import FORM
from helpdesk.api.idempotency.errors import IdempotencyInProgress
from helpdesk.api.routing.api import Route
from helpdesk.platform.errors import AppError, ConflictingWrites, TokenRequired
from helpdesk.webhooks.errors import EndpointNotFound
from scripts.openapi import examples, texts
from scripts.openapi.access import access_of, security_of
from scripts.openapi.models import Mode, prose, public_name, query_parameters, schemas
from scripts.openapi.routes import (
    all_routes,
    errors_of,
    operation_id,
    path_parameters,
    path_template,
    says_pages,
)
from scripts.openapi.webhook_payloads import EVENTS, Event

_JSON = "application/json"

# The names of error responses that many operations share. Other sets of codes are inline.
_SHARED_NAMES: dict[tuple[str, ...], str] = {
    ("missing_api_key", "invalid_api_key", "publishable_key"): "KeyRefused",
    ("missing_api_key", "invalid_api_key", "publishable_key", "invalid_token"): "CredentialRefused",
    ("no_organization",): "NoOrganization",
    ("no_organization", "forbidden"): "RoleRefused",
    ("no_organization", "forbidden", "insufficient_scope"): "AccessRefused",
    ("invalid_request",): "InvalidQuery",
    ("invalid_request", "invalid_cursor"): "InvalidPage",
    ("idempotency_mismatch",): "RepeatedOtherwise",
    ("idempotency_in_progress", "idempotency_answer_lost", "conflict"): "NotRepeated",
    ("conflict",): "Conflict",
    ("rate_limited",): "RateLimited",
    ("internal_error",): "InternalError",
}


@cache
def document() -> dict[str, Any]:
    """Return the API description of this working tree."""
    routes = all_routes()
    models: list[tuple[type[Any], Mode]] = []
    for route in routes:
        if route.body is not None:
            models.append((route.body[1], "validation"))
        if route.query is not None:
            models.append((route.query[1], "validation"))
        if route.form is not None:
            models.append((route.form[1], "validation"))
        if not issubclass(route.answer, Content):
            models.append((route.answer, "serialization"))
    models += [(event, "serialization") for event in EVENTS.values()]
    _, components = schemas(models)
    queries = {route.query[1] for route in routes if route.query is not None}
    parameters = {query.__name__: query_parameters(query, components) for query in queries}

    shared: dict[str, Any] = {}
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        operation = _operation(route, parameters[route.query[1].__name__] if route.query else [], shared)
        paths.setdefault(path_template(route), {})[route.method.lower()] = operation
    served = {_group(route) for route in routes}
    groups = dict.fromkeys([*texts.GROUPS.values(), texts.EVENTS_GROUP])
    return {
        "openapi": "3.1.0",
        "info": texts.INFO,
        "servers": texts.SERVERS,
        "tags": [
            {"name": name, "description": description}
            for name, description in groups
            if name in served or (name, description) == texts.EVENTS_GROUP
        ],
        "paths": dict(sorted(paths.items(), key=lambda item: _place(item[0]))),
        "webhooks": {kind.value: _webhook(kind.value, event) for kind, event in EVENTS.items()},
        "components": {
            "schemas": dict(
                sorted(
                    {
                        **components,
                        "Error": texts.ERROR_SCHEMA,
                        "OAuthError": texts.OAUTH_ERROR_SCHEMA,
                    }.items()
                )
            ),
            "responses": dict(sorted(shared.items())),
            "headers": texts.HEADERS,
            "securitySchemes": texts.SECURITY,
        },
    }


def _first_part(path: str) -> str:
    return path.split("/")[2]


def _group(route: Route) -> str:
    return texts.GROUPS.get(_first_part(route.path), (_first_part(route.path).capitalize(), ""))[0]


def _place(path: str) -> tuple[int, str]:
    """Return a path's sort key: groups in their order, and a group's paths by name."""
    groups = list(texts.GROUPS)
    part = _first_part(path)
    return (groups.index(part) if part in groups else len(groups), path)


def _operation(route: Route, query: list[dict[str, Any]], shared: dict[str, Any]) -> dict[str, Any]:
    description = prose(route.function.__doc__ or "")
    operation: dict[str, Any] = {
        "operationId": operation_id(route),
        "summary": _summary(description),
        "description": f"{description}\n\n{access_of(route)}",
        "tags": [_group(route)],
        "security": security_of(route.access),
    }
    parameters = [_path_parameter(name) for name in path_parameters(route)] + query
    if route.takes_idempotency_key:
        parameters.append(texts.IDEMPOTENCY_KEY)
    if parameters:
        operation["parameters"] = parameters
    body = _request_body(route)
    if body is not None:
        operation["requestBody"] = body
    operation["responses"] = {str(route.status): _answer(route), **_errors_of(route, shared)}
    if issubclass(route.answer, Content) and route.answer.shared:
        operation["responses"]["304"] = {
            "description": "The document has not changed since the response whose ETag If-None-Match names.",
            "headers": _headers("RequestId"),
        }
    if route.or_csv:
        answer = operation["responses"][str(route.status)]
        answer["content"]["text/csv"] = {"schema": {"type": "string"}, **_example(examples.CSV, route)}
        answer["headers"] |= _headers("Link")
    if route.or_see_other:
        operation["responses"]["303"] = {
            "description": "A redirect to the next page.",
            "headers": _headers("Location", "RequestId"),
        }
    return operation


def _summary(description: str) -> str:
    """Return the first clause of a description."""
    return re.split(r"\n|[.:;] ", description, maxsplit=1)[0].rstrip(".")


def _path_parameter(name: str) -> dict[str, Any]:
    description, example = texts.PATH_PARAMETERS.get(name, ("", None))
    parameter: dict[str, Any] = {
        "name": name,
        "in": "path",
        "required": True,
        "schema": {"type": "string", "minLength": 1},
    }
    if example is not None:
        parameter |= {"description": description, "example": example}
    return parameter


def _request_body(route: Route) -> dict[str, Any] | None:
    if route.form is not None:
        schema = {"schema": _reference(route.form[1]), **_example(examples.BODIES, route)}
        return {"required": True, "content": {FORM: schema}}
    if route.body is None and route.raw_body is not None:
        schema = {
            "type": "object",
            "description": "What the service sends. The signature is over these bytes.",
        }
        return {"required": True, "content": {_JSON: {"schema": schema, **_example(examples.BODIES, route)}}}
    if route.body is None:
        return None
    content: dict[str, Any] = {
        _JSON: {"schema": _reference(route.body[1]), **_example(examples.BODIES, route)}
    }
    if route.raw_body is not None:
        content["application/octet-stream"] = {"schema": {"type": "string", "format": "binary"}}
    body: dict[str, Any] = {"required": requires_a_field(route.body[1]), "content": content}
    if route.raw_body is not None:
        body["description"] = (
            "The file itself with its media type, or its announcement as JSON without `name`."
        )
    return body


def _example(known: dict[str, Any], route: Route) -> dict[str, Any]:
    value = known.get(operation_id(route))
    return {} if value is None else {"examples": {"typical": {"value": value}}}


def _reference(model: type[Any]) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{public_name(model.__name__)}"}


def _headers(*names: str) -> dict[str, Any]:
    spelled = {
        "RequestId": "x-request-id",
        "RateLimitPolicy": "RateLimit-Policy",
        "RateLimit": "RateLimit",
        "RetryAfter": "Retry-After",
        "RetryAfterConflict": "Retry-After",
        "IdempotentReplayed": "idempotent-replayed",
        "Location": "Location",
        "Link": "Link",
    }
    return {spelled[name]: {"$ref": f"#/components/headers/{name}"} for name in names}


def _answer(route: Route) -> dict[str, Any]:
    names = ["RequestId"] + ([] if route.access is Access.PUBLIC else ["RateLimitPolicy", "RateLimit"])
    if route.status // 100 == 3:
        return {"description": "A redirect.", "headers": _headers("Location", *names)}
    if route.takes_idempotency_key:
        names.append("IdempotentReplayed")
    answer: dict[str, Any] = {"description": "Success.", "headers": _headers(*names)}
    if issubclass(route.answer, Content):
        media_type = route.answer.media_type.split(";")[0]
        schema = {"type": "object" if media_type == _JSON else "string"}
        answer |= {
            "description": "The content.",
            "content": {media_type: {"schema": schema, **_example(examples.ANSWERS, route)}},
        }
    else:
        description = prose(route.answer.__doc__ or "")
        answer |= {
            "description": description or "Success.",
            "content": {_JSON: {"schema": _reference(route.answer), **_example(examples.ANSWERS, route)}},
        }
    return answer


def _errors_of(route: Route, shared: dict[str, Any]) -> dict[str, Any]:
    by_status: dict[int, list[type[AppError]]] = {}
    for error in errors_of(route):
        by_status.setdefault(error.status, []).append(error)
    answers = {}
    for status in sorted(by_status):
        errors = by_status[status]
        # A credential that is known, but that the route does not accept, learns its limits, too.
        known = status != 401 or TokenRequired in errors or route.access.key_rule is KeyRule.ONLY
        charged = route.access is not Access.PUBLIC and known
        answer = _refusal(status, errors, charged=charged, as_pages=says_pages(route))
        if route.or_page and status == HTTPStatus.NOT_FOUND:
            answer["content"]["text/html"] = {"schema": {"type": "string"}}
        name = _shared_name(errors) if route.refusal is None else None
        if name is not None and charged | (status == 401):
            if shared.setdefault(name, answer) != answer:
                raise ValueError(f"two different responses would be called {name}")
            answer = {"$ref": f"#/components/responses/{name}"}
        answers[str(status)] = answer
    return answers


# Codes that two nouns have, each with its own sentence. Their responses are called after the error.
_OF_TWO_NOUNS = frozenset({EndpointNotFound.code})


def _shared_name(errors: list[type[AppError]]) -> str | None:
    codes = [*dict.fromkeys(error.code for error in errors)]
    own = [code for code in codes if code != "not_found"]
    if len(own) == 1 and own != codes:  # a noun's own, and the id that no path has
        if own[0] in _OF_TWO_NOUNS:
            return next(error.__name__ for error in errors if error.code == own[0])
        return "".join(word.capitalize() for word in own[0].split("_"))
    return _SHARED_NAMES.get(tuple(codes))


def _refusal(status: int, errors: list[type[AppError]], *, charged: bool, as_pages: bool) -> dict[str, Any]:
    codes = [*dict.fromkeys(error.code for error in errors)]
    summaries = {error.code: _summary_of(error) for error in reversed(errors)}
    names = ["RequestId"] + (["RateLimitPolicy", "RateLimit"] if charged else [])
    if status == 429:
        names.append("RetryAfter")
    elif {IdempotencyInProgress, ConflictingWrites} & {*errors}:
        names.append("RetryAfterConflict")
    refused = {
        "description": f"{HTTPStatus(status).phrase}.\n\n"
        + "\n".join(f"- `{code}`: {summaries[code]}" for code in codes),
        "headers": _headers(*names),
    }
    if as_pages:
        causes = [*dict.fromkeys(_summary_of(error) for error in errors)]
        refused["description"] = f"{HTTPStatus(status).phrase}, as a page. {' '.join(causes)}"
        return refused | {"content": {"text/html": {"schema": {"type": "string"}}}}
    if all(issubclass(error, OAuthError) for error in errors):
        return refused | {"content": {_JSON: _oauth_content(codes, errors)}}
    return refused | {
        "content": {
            _JSON: {
                "schema": {
                    "allOf": [
                        {"$ref": "#/components/schemas/Error"},
                        {
                            "type": "object",
                            "properties": {
                                "error": {"type": "object", "properties": {"code": {"enum": codes}}}
                            },
                        },
                    ]
                },
                "examples": {_example_name(error): {"value": _error_example(error)} for error in errors},
            }
        },
    }


def _oauth_content(codes: list[str], errors: list[type[AppError]]) -> dict[str, Any]:
    schema = {
        "allOf": [
            {"$ref": "#/components/schemas/OAuthError"},
            {"type": "object", "properties": {"error": {"enum": codes}}},
        ]
    }
    return {"schema": schema, "examples": {error.code: {"value": error().to_object()} for error in errors}}


def _summary_of(error: type[AppError]) -> str:
    """Return what an error means: the first line of its docstring, or the first sentence of its message."""
    return (
        prose(error.__doc__).split("\n")[0]
        if error.__doc__
        else re.split(r"(?<=[.]) (?=[A-Z`])", error.message)[0]
    )


def _example_name(error: type[AppError]) -> str:
    return error.code if error.reason is None else f"{error.code}.{error.reason}"


def _error_example(error: type[AppError]) -> dict[str, Any]:
    described = {"code": error.code, "message": examples.MESSAGES.get(error.code, error.message)}
    if error.reason is not None:
        described["reason"] = error.reason
    return {"error": described}


def _webhook(kind: str, event: type[Event]) -> dict[str, Any]:
    description = prose(event.__doc__ or "")
    signature = {
        "in": "header",
        "required": True,
        "schema": {"type": "string", "pattern": "^t=[0-9]+,v1=[0-9a-f]{64}$"},
    }
    name = "".join(word.capitalize() for word in kind.split("."))
    return {
        "post": {
            "operationId": f"on{name}",
            "summary": _summary(description),
            "description": f"{description}\n\n{texts.DELIVERY}",
            "tags": [texts.EVENTS_GROUP[0]],
            "security": [],
            "parameters": [
                {
                    "name": "svc-signature",
                    **signature,
                    "description": "The time of the signature (ms), and the signature. Each attempt has its own.",
                    "example": f"t=1763683200120,v1={'5f0c6a3de1b84d7f' * 4}",
                },
                {
                    "name": "portal-signature",
                    **signature,
                    "deprecated": True,
                    "description": "The same value under a former name. Ignore it.",
                },
                *texts.STANDARD_HEADERS,
            ],
            "requestBody": {
                "required": True,
                "content": {
                    _JSON: {
                        "schema": _reference(event),
                        "examples": {"typical": {"value": examples.EVENTS[event_kind(event)]}},
                    }
                },
            },
            "responses": {
                "2XX": {"description": "Accepted. Only the status of the response is read."},
                "default": {"description": "Failed. The event is sent again, five times in all."},
            },
        }
    }


def event_kind(event: type[Event]) -> Any:
    """Return the kind of an event's model."""
    return next(kind for kind, model in EVENTS.items() if model is event)
