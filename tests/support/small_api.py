"""A small API with one route for each kind of access, and one that fails."""

import json
from typing import Any

from botocore.exceptions import ClientError

from helpdesk.api.admission.anonymous import AddressLimit
from helpdesk.api.admission.caller import Access, Caller
from helpdesk.api.admission.limits import RequestClass
from helpdesk.api.http.schemas import OK, Body, Ok
from helpdesk.api.routing.api import Api
from tests.support.api import Answer, Context, gateway_event

START = 1_800_000_000_000_000


class Thing(Body):
    """A body with one required field."""

    name: str


def _small_api() -> Api:
    """Return one route for each kind of access, and one that fails."""
    api = Api()
    for access in Access:

        def route(caller: Caller) -> Ok:
            return OK

        def public() -> Ok:
            return OK

        limit = AddressLimit.STATIC if access is Access.PUBLIC else None
        api.get(f"/v1/{access.name.lower()}", access=access, limit=limit)(route if limit is None else public)

    @api.post("/v1/things", access=Access.ADMIN)
    def make(caller: Caller, thing: Thing) -> Ok:
        return OK

    @api.post("/v1/uploads", access=Access.MEMBER, request_class=RequestClass.UPLOAD)
    def upload(caller: Caller) -> Ok:
        return OK

    @api.get("/v1/broken", access=Access.MEMBER)
    def fail(caller: Caller) -> Ok:
        raise RuntimeError("a visitor's words")

    return api


SMALL = _small_api()


def call(
    method: str, path: str, authorization: str | None = None, body: Any = None, name: str = "Authorization"
) -> Answer:
    headers = {} if authorization is None else {name: authorization}
    raw = SMALL.handler(gateway_event(method, path, body=body, headers=headers), Context())
    answered = {name.lower(): values[-1] for name, values in raw["multiValueHeaders"].items()}
    return Answer(raw["statusCode"], answered, json.loads(raw["body"]))


class Throttling:
    """Refuses every update as DynamoDB does when a partition is hot."""

    def __init__(self, code: str) -> None:
        self.code = code

    def __call__(self, **_: Any) -> None:
        raise ClientError({"Error": {"Code": self.code, "Message": ""}}, "UpdateItem")
