"""Routes: a function with typed parameters becomes an endpoint.

    api = Api()

    @api.patch("/v1/webhooks/<endpoint_id>", access=Access.ADMIN, errors=(EndpointNotFound, InvalidUrl))
    def update_webhook(caller: Caller, endpoint_id: str, change: WebhookUpdate) -> Ok: ...

    handler = api.handler

Every route declares who can call it and which errors it can return. Documentation and tests are generated from these
declarations. The checks run in this order: route, credential, rate limit, role, body, rules (docs/decisions/0005,
0030).
"""

import inspect
import traceback
from collections.abc import Callable, Mapping
from copy import replace
from typing import Any, get_args, get_type_hints

from helpdesk.api.admission import anonymous
from helpdesk.api.admission import service as admission
from helpdesk.api.admission.anonymous import AddressLimit
from helpdesk.api.admission.caller import Access, Caller
from helpdesk.api.admission.limits import RequestClass
from helpdesk.api.http.content import BaseUrl, ClientInfo, Content, HtmlPage, RawBody, SeeOther
from helpdesk.api.http.csv_content import CsvText
from helpdesk.api.http.error_response import base_url, error_answer
from helpdesk.api.http.gateway import Paths, Request, answer
from helpdesk.api.http.schemas import Answer, Body, Form, Query, field_names, one_time_secret
from helpdesk.api.http.unknown_names import require_known_parameters
from helpdesk.api.http.validation import body_bytes, parse_body, parse_form, parse_query
from helpdesk.api.idempotency import service as idempotency
from helpdesk.api.idempotency.service import IdempotentRequest, Outcome
from helpdesk.api.routing.names import with_names_now
from helpdesk.platform import deadline
from helpdesk.platform.errors import (
    AppError,
    ConflictingWrites,
    InternalError,
    RouteNotFound,
)
from helpdesk.platform.logging import logger
from helpdesk.platform.record import Record, field
from helpdesk.storage.retrying import Conflict
from helpdesk.storage.stored import MalformedKey
from helpdesk.storage.table import Throttled

_JSON = "application/json"

type Function = Callable[..., Answer | Content]
"""A route's function. It returns a model, which is sent as JSON, or content of another media type."""

type Refusal = Callable[[AppError], AppError | Content]
"""Converts an error to the form that a route's callers understand: another error, or a page."""


class Route(Record):
    """A declared route. Its parameters are found by their annotations."""

    method: str
    path: str
    access: Access
    request_class: RequestClass
    status: int
    errors: tuple[type[AppError], ...]
    function: Function
    caller: str | None
    body: tuple[str, type[Body]] | None
    raw_body: str | None
    query: tuple[str, type[Query]] | None
    base_url: str | None
    client_info: str | None
    answer: type[Answer] | type[Content]
    form: tuple[str, type[Form]] | None = None
    or_see_other: bool = False
    or_page: bool = False
    or_csv: bool = False
    refusal: Refusal | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    raw_body_parameter: str | None = None
    limit: AddressLimit | None = None

    @property
    def takes_idempotency_key(self) -> bool:
        """Whether the route accepts an Idempotency-Key: every POST with an authenticated caller does."""
        return self.method == "POST" and self.access is not Access.PUBLIC

    @property
    def refuses_unknown_parameters(self) -> bool:
        """Whether the route refuses query parameters that it does not declare.

        Public routes ignore them: OAuth requires it (RFC 6749, section 3.1), and people open the other ones from links
        to which mail programs add parameters of their own.
        """
        return self.access is not Access.PUBLIC


class Api:
    """The routes of one function."""

    def __init__(self) -> None:
        self.routes: list[Route] = []
        self._paths: Paths[Route] = Paths()

    def get(self, path: str, **declared: Any) -> Callable[[Function], Function]:
        """Declare a GET route; see `route`."""
        return self.route("GET", path, **declared)

    def post(self, path: str, **declared: Any) -> Callable[[Function], Function]:
        """Declare a POST route; see `route`."""
        return self.route("POST", path, **declared)

    def put(self, path: str, **declared: Any) -> Callable[[Function], Function]:
        """Declare a PUT route; see `route`."""
        return self.route("PUT", path, **declared)

    def patch(self, path: str, **declared: Any) -> Callable[[Function], Function]:
        """Declare a PATCH route; see `route`."""
        return self.route("PATCH", path, **declared)

    def delete(self, path: str, **declared: Any) -> Callable[[Function], Function]:
        """Declare a DELETE route; see `route`."""
        return self.route("DELETE", path, **declared)

    def route(
        self,
        method: str,
        path: str,
        *,
        access: Access,
        errors: tuple[type[AppError], ...] = (),
        status: int = 200,
        request_class: RequestClass | None = None,
        refusal: Refusal | None = None,
        headers: Mapping[str, str] | None = None,
        raw_body_parameter: str | None = None,
        limit: AddressLimit | None = None,
    ) -> Callable[[Function], Function]:
        """Declare a route. `errors` are those of its noun; errors of every route are implied.

        `request_class` overrides the class that the method implies (Specification: Limits: GET reads, the rest writes).
        `refusal` converts errors to another form than the error object. `headers` are in every response, including
        errors. `limit` limits the callers of a public route by their network address; each public route has one.

        A route that takes `Model | RawBody` gets the model for a JSON body. With the query parameter that
        `raw_body_parameter` names, or with an empty body, it gets the bytes whatever their type.
        """
        if (access is Access.PUBLIC) != (limit is not None):
            raise TypeError(f"{method} {path}: a public route, and no other, declares a limit")
        charged = request_class or (RequestClass.READ if method == "GET" else RequestClass.WRITE)

        def declare(function: Function) -> Function:
            route = _declared(method, path, access, charged, status, errors, function)
            route = replace(
                route,
                refusal=refusal,
                headers=headers or {},
                limit=limit,
                raw_body_parameter=raw_body_parameter,
            )
            self.routes.append(route)
            self._paths.add(method, path, route)
            return function

        return declare

    def handler(self, event: dict[str, Any], context: Any) -> dict[str, Any]:
        """Handle an API Gateway REST event (payload version 1); `context` is Lambda's."""
        request = Request.from_event(event)
        found = self._paths.find(request.method, request.path)
        headers = {"x-request-id": request.id}
        if found is None:
            return error_answer(no_route(self._paths, request.method, request.path), headers, request)
        with deadline.of(context):
            return _run(*found, request, headers, context)


def no_route[R](paths: Paths[R], method: str, path: str) -> RouteNotFound:
    """Return the error for a request that matches no route. It names the path's methods, or the nearest path."""
    methods = paths.methods(path)
    if methods:
        return RouteNotFound(f"This path has no {method}. Its methods: {', '.join(methods)}.")
    nearest = paths.nearest(path)
    if nearest is None:
        return RouteNotFound()
    template, methods = nearest
    described = template.replace("<", "{").replace(">", "}")
    return RouteNotFound(f"No route has this path. Did you mean {described} ({', '.join(methods)})?")


def _run(
    route: Route, path_parameters: Mapping[str, str], request: Request, headers: dict[str, str], context: Any
) -> dict[str, Any]:
    headers |= route.headers
    try:
        arguments: dict[str, Any] = dict(path_parameters)
        caller: Caller | None = None
        if route.limit is not None:
            anonymous.charge(route.limit, request.source_ip)
        else:
            admitted = admission.admit(request.headers, route.access, route.request_class)
            headers |= admitted.headers
            caller = admitted.caller
            if route.caller is not None:
                arguments[route.caller] = caller
        arguments |= _bound(route, request)
        idempotent = _idempotent_request(route, caller, request)
        if idempotent is not None:
            time_left = context.get_remaining_time_in_millis()
            outcome = idempotency.run_once(idempotent, time_left, lambda: _outcome(route, arguments, caller))
            headers |= {idempotency.REPLAYED: "true"} if outcome.replayed else {}
            return answer(outcome.status, _JSON, outcome.body, headers)
        result = route.function(**arguments)
        text = "" if isinstance(result, Content) else _text(result, caller)
    except Exception as error:  # noqa: BLE001 - the last line of defence: the caller gets no stack trace
        return _refused(route, _error_of(route, request, error), headers, request)
    if isinstance(result, Content):
        return _content_answer(result, route.status, headers)
    return answer(route.status, _JSON, text, headers)


def _text(result: Answer, caller: Caller | None) -> str:
    if caller is not None and caller.organization:
        result = with_names_now(caller.organization, result)
    return result.model_dump_json(by_alias=True, exclude_none=result.omits_null)


def _idempotent_request(route: Route, caller: Caller | None, request: Request) -> IdempotentRequest | None:
    """Return the request with its Idempotency-Key; None if it has none or the route takes none."""
    if caller is None or route.access.rate_limit_subject is None or not route.takes_idempotency_key:
        return None
    key = idempotency.key_in(request.headers)
    if key is None:
        return None
    body = body_bytes(request.body, is_base64=request.is_base64)
    # What a file is depends on the type that it is sent with; JSON is JSON.
    media_type = request.headers.get("content-type", "") if route.raw_body is not None else ""
    return IdempotentRequest(
        caller=caller,
        subject=route.access.rate_limit_subject,
        method=request.method,
        path=request.path,
        key=key,
        body=body,
        query=request.query,
        media_type=media_type,
    )


def _outcome(route: Route, arguments: Mapping[str, Any], caller: Caller | None) -> Outcome:
    """Run a route for a request with an Idempotency-Key."""
    result = route.function(**arguments)
    if isinstance(result, Content):
        raise TypeError(f"{route.path} returns content, which cannot be stored")
    secret = one_time_secret(type(result))
    advice = None
    if secret is not None and getattr(result, secret[0]) is not None:
        advice = secret[1].instead.format_map(result.model_dump(exclude={secret[0]}))
    return Outcome(route.status, _text(result, caller), advice)


def _error_of(route: Route, request: Request, raised: Exception) -> AppError:
    """Return the error that the caller gets for an exception."""
    if isinstance(raised, AppError):
        return raised
    if isinstance(raised, MalformedKey):
        # A malformed id is treated as an unknown one.
        return next((error for error in route.errors if error.status == 404), RouteNotFound)()
    if isinstance(raised, Conflict | Throttled):
        about = {"requestId": request.id, "route": f"{route.method} {route.path}"}
        logger.warning("request_lost", extra={**about, "error": type(raised).__name__})
        return ConflictingWrites()
    _log_failure(route, request, raised)
    return InternalError()


def _refused(route: Route, error: AppError, headers: dict[str, str], request: Request) -> dict[str, Any]:
    said = route.refusal(error) if route.refusal else error
    if isinstance(said, Content):
        return _content_answer(said, error.status, {**headers, **error.headers})
    return error_answer(said, headers, request)


def _content_answer(content: Content, status: int, headers: dict[str, str]) -> dict[str, Any]:
    every = {**headers, **content.headers}
    return answer(
        content.status or status, content.media_type, content.text, every, is_base64=content.is_base64
    )


def _bound(route: Route, request: Request) -> dict[str, Any]:
    """Return the arguments from the request's body, query and address."""
    arguments: dict[str, Any] = {}
    media_type = request.headers.get("content-type") or ""
    if route.raw_body is not None and (route.body is None or _is_raw(route, request, media_type)):
        content = body_bytes(request.body, is_base64=request.is_base64)
        arguments[route.raw_body] = RawBody(content, media_type)
    elif route.body is not None:
        name, body = route.body
        arguments[name] = parse_body(body, request.body, is_base64=request.is_base64)
    if route.form is not None:
        name, form = route.form
        arguments[name] = parse_form(form, request.body, media_type, is_base64=request.is_base64)
    if route.refuses_unknown_parameters:
        require_known_parameters(request.query, field_names(route.query[1]) if route.query else ())
    if route.query is not None:
        name, query = route.query
        arguments[name] = parse_query(query, request.query)
    if route.base_url is not None:
        arguments[route.base_url] = base_url(request)
    if route.client_info is not None:
        arguments[route.client_info] = ClientInfo(request.source_ip, request.headers)
    return arguments


def _is_raw(route: Route, request: Request, media_type: str) -> bool:
    if not request.body or media_type.partition(";")[0].strip().lower() != _JSON:
        return True
    return route.raw_body_parameter is not None and route.raw_body_parameter in (request.query or {})


def _log_failure(route: Route, request: Request, error: Exception) -> None:
    # Locations only: the text of an exception may contain what a visitor wrote.
    places = [f"{f.filename}:{f.lineno} {f.name}" for f in traceback.extract_tb(error.__traceback__)[-6:]]
    logger.error(
        "request_failed",
        extra={
            "requestId": request.id,
            "route": f"{route.method} {route.path}",
            "error": type(error).__name__,
            "places": places,
        },
    )


def _declared(
    method: str,
    path: str,
    access: Access,
    request_class: RequestClass,
    status: int,
    errors: tuple[type[AppError], ...],
    function: Function,
) -> Route:
    hints = get_type_hints(function)
    # A page with a form returns `HtmlPage | SeeOther`, a route that shows browsers a page for 404 `Answer | HtmlPage`,
    # and a list that is also CSV `Answer | CsvText`.
    answers = hints.pop("return")
    answer = next(kind for kind in get_args(answers) or (answers,) if kind is not SeeOther)
    caller: str | None = None
    body: tuple[str, type[Body]] | None = None
    query: tuple[str, type[Query]] | None = None
    raw_body: str | None = None
    base_url: str | None = None
    client_info: str | None = None
    form: tuple[str, type[Form]] | None = None
    for name in inspect.signature(function).parameters:
        # A route that accepts a file or JSON takes `Model | RawBody`.
        for kind in get_args(hints[name]) or (hints[name],):
            if kind is Caller:
                caller = name
            elif kind is RawBody:
                raw_body = name
            elif kind is BaseUrl:
                base_url = name
            elif kind is ClientInfo:
                client_info = name
            elif issubclass(kind, Body):
                body = (name, kind)
            elif issubclass(kind, Query):
                query = (name, kind)
            elif issubclass(kind, Form):
                form = (name, kind)
    return Route(
        method,
        path,
        access,
        request_class,
        status,
        errors,
        function,
        caller,
        body,
        raw_body,
        query,
        base_url,
        client_info,
        answer,
        form,
        SeeOther in get_args(answers),
        answer is not HtmlPage and HtmlPage in get_args(answers),
        CsvText in get_args(answers),
    )
