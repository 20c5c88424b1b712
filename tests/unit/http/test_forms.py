"""Form bodies, and errors in the form of a route."""

from typing import Any

import pytest
from pydantic import Field

from helpdesk.api.admission.anonymous import AddressLimit
from helpdesk.api.admission.caller import Access
from helpdesk.api.http.content import HtmlPage, SeeOther, see_other
from helpdesk.api.http.schemas import Answer, Form, Query
from helpdesk.api.http.validation import parse_form, parse_query
from helpdesk.api.routing.api import Api
from helpdesk.platform.errors import AppError, InvalidRequest
from tests.support.api import Context, gateway_event

FORM = "application/x-www-form-urlencoded"


class Sent(Form):
    name: str | None = None
    many: list[str] = Field(default_factory=list)


class Asked(Query):
    name: str | None = None
    many: list[str] = Field(default_factory=list)


def read(body: str, media_type: str = FORM) -> Sent:
    return parse_form(Sent, body, media_type, is_base64=False)


def test_fields_are_decoded() -> None:
    assert read("name=a+b%26c%3D%C3%A9").name == "a b&c=é"


def test_a_field_sent_empty_counts_as_omitted() -> None:
    assert read("name=&many=").name is None
    assert read("name=&many=").many == []


def test_the_last_value_of_a_repeated_field_counts_and_the_repeat_is_reported() -> None:
    sent = read("name=a&name=b")

    assert (sent.name, sent.repeated) == ("b", frozenset({"name"}))


def test_a_list_takes_every_value() -> None:
    sent = read("many=a&many=b")

    assert (sent.many, sent.repeated) == (["a", "b"], frozenset())


def test_a_query_reads_lists_and_repeats_alike() -> None:
    asked = parse_query(Asked, {"name": ["a", "b"], "many": ["c", "d"], "other": ["e", "f"]})

    assert (asked.name, asked.many) == ("b", ["c", "d"])
    assert asked.repeated == {"name", "other"}


def test_the_type_may_name_its_charset_in_any_case() -> None:
    assert read("name=a", "Application/X-WWW-Form-Urlencoded; charset=utf-8").name == "a"


@pytest.mark.parametrize(
    ("body", "media_type"),
    [
        ("name=a", "application/json"),
        ("name=a", "multipart/form-data"),
        ("name=a", ""),
        ("name=%ff", FORM),
        ("&".join(f"n{number}=1" for number in range(101)), FORM),
    ],
)
def test_a_body_that_is_not_a_form_is_rejected(body: str, media_type: str) -> None:
    with pytest.raises(InvalidRequest):
        read(body, media_type)


def test_a_body_in_base64_is_read() -> None:
    assert parse_form(Sent, "bmFtZT1h", FORM, is_base64=True).name == "a"
    with pytest.raises(InvalidRequest):
        parse_form(Sent, "!", FORM, is_base64=True)


class Said(Answer):
    omits_null = True

    here: str
    gone: str | None = None


class Teapot(AppError):
    """An error of the test."""

    status, code = 400, "teapot"
    message = "It is a teapot."


def as_page(error: AppError) -> HtmlPage:
    return HtmlPage(f"<p>{error.code}</p>", {"x-page": "1"})


api = Api()


@api.post(
    "/v1/form",
    access=Access.PUBLIC,
    limit=AddressLimit.STATIC,
    refusal=as_page,
    headers={"cache-control": "no-store"},
)
def take(form: Sent) -> HtmlPage | SeeOther:
    """Accept a form."""
    if form.name == "fail":
        raise ZeroDivisionError
    if form.name == "refuse":
        raise Teapot(headers={"retry-after": "7"})
    return see_other("/elsewhere") if form.name == "on" else HtmlPage("<p>here</p>")


@api.get("/v1/said", access=Access.PUBLIC, limit=AddressLimit.STATIC)
def say() -> Said:
    """Return a page."""
    return Said(here="x")


def post(body: str, media_type: str = FORM) -> dict[str, Any]:
    answer = api.handler(
        gateway_event("POST", "/v1/form", body=body, headers={"content-type": media_type}), Context()
    )
    return {**answer, **{name: values[0] for name, values in answer["multiValueHeaders"].items()}}


def test_a_route_returns_a_page_or_redirects() -> None:
    here, on = post("name=x"), post("name=on")

    assert (here["statusCode"], here["body"], here["cache-control"]) == (200, "<p>here</p>", "no-store")
    assert (on["statusCode"], on["location"]) == (303, "/elsewhere")


@pytest.mark.parametrize(
    ("body", "media_type", "status", "code"),
    [
        ("name=refuse", FORM, 400, "teapot"),
        ("name=fail", FORM, 500, "internal_error"),
        ("{}", "application/json", 400, "invalid_request"),
    ],
)
def test_every_error_has_the_form_of_the_route(body: str, media_type: str, status: int, code: str) -> None:
    answer = post(body, media_type)

    assert (answer["statusCode"], answer["body"]) == (status, f"<p>{code}</p>")
    assert answer["content-type"] == "text/html; charset=utf-8"
    assert (answer["cache-control"], answer["x-page"]) == ("no-store", "1")


def test_the_page_of_an_error_has_the_headers_of_the_error() -> None:
    assert post("name=refuse")["retry-after"] == "7"


def test_a_response_can_omit_null_fields() -> None:
    assert api.handler(gateway_event("GET", "/v1/said"), Context())["body"] == '{"here":"x"}'
