"""Collects every route of every functions/*/app.py, with the errors that it can return."""

import importlib.util
import re
from functools import cache
from pathlib import Path

from helpdesk.api.admission.caller import Access, KeyRule, Role, Scope
from helpdesk.api.http.content import Content
from helpdesk.api.http.schemas import Answer, one_time_secret
from helpdesk.api.idempotency.errors import (
    IdempotencyAnswerLost,
    IdempotencyAnswerWithheld,
    IdempotencyInProgress,
    IdempotencyMismatch,
)
from helpdesk.api.routing.api import Api, Route
from helpdesk.platform.errors import (
    AppError,
    ConflictingWrites,
    FairUseLimited,
    Forbidden,
    InsufficientScope,
    InternalError,
    InvalidApiKey,
    InvalidJson,
    InvalidRequest,
    InvalidToken,
    MissingApiKey,
    NeedsAPerson,
    NoOrganization,
    PublishableKey,
    RateLimited,
    RouteNotFound,
    TokenRequired,
)

ROOT = Path(__file__).resolve().parents[2]


@cache
def all_routes() -> tuple[Route, ...]:
    """Return every route, in the order of paths and methods."""
    found = [route for routes in routes_by_function().values() for route in routes]
    methods = ("GET", "POST", "PUT", "PATCH", "DELETE")
    return tuple(sorted(found, key=lambda route: (route.path, methods.index(route.method))))


@cache
def routes_by_function() -> dict[str, list[Route]]:
    """Return the routes of each function, by the name of its folder."""
    return {
        app.parent.name: _routes_of(app)
        for app in sorted((ROOT / "functions").glob("*/app.py"))
        # A worker has no routes, and may need libraries that only its own function has.
        if "helpdesk.api.routing.api" in app.read_text(encoding="utf-8")
    }


def _routes_of(app: Path) -> list[Route]:
    spec = importlib.util.spec_from_file_location(f"described_{app.parent.name}", app)
    if spec is None or spec.loader is None:
        raise ImportError(str(app))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    api = getattr(module, "api", None)
    return api.routes if isinstance(api, Api) else []


def operation_id(route: Route) -> str:
    """Return a route's operation ID: the name of its function in camelCase."""
    first, *others = route.function.__name__.split("_")
    return first + "".join(word.capitalize() for word in others)


def path_template(route: Route) -> str:
    """Return a route's path as OpenAPI writes it: /v1/conversations/{conversationId}."""
    return re.sub(r"<(\w+)>", lambda match: "{" + camel(match[1]) + "}", route.path)


def path_parameters(route: Route) -> list[str]:
    """Return the names of the parameters in a route's path."""
    return [camel(name) for name in re.findall(r"<(\w+)>", route.path)]


def camel(name: str) -> str:
    """Return a snake_case name in camelCase."""
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)


def errors_of(route: Route) -> list[type[AppError]]:
    """Return every error that a route can return, in the order of the checks.

    The route declares its noun's errors. The others follow from its access and its parameters.
    """
    found: list[type[AppError]] = []
    if path_parameters(route):
        found.append(RouteNotFound)  # an id with characters that no path has
    found += _admission_errors(route.access)
    found += [RateLimited] if route.access is Access.PUBLIC else [RateLimited, FairUseLimited]
    if route.body is not None:
        found += [InvalidJson, InvalidRequest]
    elif route.query is not None or route.form is not None or route.refuses_unknown_parameters:
        found.append(InvalidRequest)
    found += _idempotency_errors(route)
    of_every_route = _converted(route, [ConflictingWrites, InternalError])
    return [*dict.fromkeys([*_converted(route, found), *route.errors, *of_every_route])]


def _idempotency_errors(route: Route) -> list[type[AppError]]:
    if not route.takes_idempotency_key:
        return []
    found: list[type[AppError]] = [
        InvalidRequest,
        IdempotencyMismatch,
        IdempotencyInProgress,
        IdempotencyAnswerLost,
    ]
    if issubclass(route.answer, Answer) and one_time_secret(route.answer) is not None:
        found.append(IdempotencyAnswerWithheld)
    return found


def _converted(route: Route, errors: list[type[AppError]]) -> list[type[AppError]]:
    """Return the general errors as a route converts them to another form. A route of pages keeps them."""
    if route.refusal is None:
        return errors
    converted = [(error, route.refusal(error())) for error in errors]
    return [type(other) if isinstance(other, AppError) else error for error, other in converted]


def says_pages(route: Route) -> bool:
    """Return whether a route shows its errors as pages."""
    return route.refusal is not None and isinstance(route.refusal(InternalError()), Content)


def _admission_errors(access: Access) -> list[type[AppError]]:
    if access is Access.PUBLIC:
        return []
    found: list[type[AppError]] = [MissingApiKey, InvalidApiKey, PublishableKey]
    if access.key_rule is KeyRule.ONLY:
        return found
    found += [InvalidToken, NoOrganization]
    if access.key_rule is KeyRule.TOKEN_REQUIRED:
        found.append(TokenRequired)
    if access.key_rule is KeyRule.NEEDS_A_PERSON:
        found.append(NeedsAPerson)
    if access.role is not Role.MEMBER:
        found.append(Forbidden)
    if access.scope is not Scope.API:
        found.append(InsufficientScope)
    return found
