"""Signing a user of the customer's app in to the chat widget, by a token that the page around it passes on."""

import json
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.platform import clock
from helpdesk_webhooks.site import SiteUser, sign_in_token, widget_token
from tests.support.api import Client
from tests.support.aws import recorded_calls
from tests.support.site_browser import SiteBrowser
from tests.support.workers import Workers

OTHERS = ("agent", "search", "signal", "integration", "suggestion")
ADA = SiteUser(id="42", name="Ada", email="ada@example.com", email_verified=True)
EVE = SiteUser(id="43", name="Eve")


@pytest.fixture
def frame(api: Client, root: str) -> SiteBrowser:
    """A frame of the widget; visitors of the site sign in with a code by mail."""
    assert api.patch("/v1/site", {"widgetOrigins": ["https://shop.example.com"]}).status == 200
    assert api.patch("/v1/site/sign-in", {"method": "median"}).status == 200
    browser = SiteBrowser(root)
    browser.open("/widget")
    return browser


def identified(frame: SiteBrowser, token: str, **fields: str) -> tuple[int, dict[str, Any]]:
    """Pass a token on, as the frame's script does; return the response."""
    csrf = str(frame.open("/widget?closed=1").one("html").attributes["data-csrf"])
    page = frame.send("/sign-in/widget", {"csrf": csrf, "token": token, **fields})
    return page.status, json.loads(page.text) if page.text.startswith("{") else {}


def written(frame: SiteBrowser, body: str) -> str:
    frame.open("/widget?all=1")
    return frame.press("/widget", body=body).one("#conversation").attributes["data-address"] or ""


def is_signed_in(frame: SiteBrowser) -> bool:
    return "data-user" in frame.open("/widget?closed=1").one("html").attributes


def test_a_token_signs_its_user_in_with_what_they_wrote_before(
    api: Client, frame: SiteBrowser, organization: NewOrganization
) -> None:
    written(frame, "My parcel is lost")

    assert identified(frame, widget_token(organization.secret_key, ADA)) == (200, {"changed": True})

    assert is_signed_in(frame)
    Workers(*OTHERS).run()
    assert "My parcel is lost" in frame.open("/widget").words("main")
    [customer] = api.get("/v1/customers").body["customers"]
    assert (customer["email"], customer["metadata"]) == ("ada@example.com", {"externalId": "42"})


def test_the_same_user_again_writes_nothing(frame: SiteBrowser, organization: NewOrganization) -> None:
    identified(frame, widget_token(organization.secret_key, ADA))
    before = dict(frame.cookies)

    with recorded_calls() as calls:
        assert identified(frame, widget_token(organization.secret_key, ADA)) == (200, {"changed": False})

    assert frame.cookies == before
    assert {each for each in calls if each in {"dynamodb:TransactWriteItems", "dynamodb:PutItem"}} == set()


def test_another_user_does_not_see_the_first_ones_conversation(
    frame: SiteBrowser, organization: NewOrganization
) -> None:
    identified(frame, widget_token(organization.secret_key, ADA))
    address = written(frame, "My parcel is lost")
    former = SiteBrowser(frame.root, cookies=dict(frame.cookies))

    assert identified(frame, widget_token(organization.secret_key, EVE)) == (200, {"changed": True})

    assert frame.open(address).status == 404
    assert not is_signed_in(former)


def test_no_token_signs_out(frame: SiteBrowser, organization: NewOrganization) -> None:
    identified(frame, widget_token(organization.secret_key, ADA))
    assert is_signed_in(frame)

    assert identified(frame, "") == (200, {"changed": True})

    assert not is_signed_in(frame)
    assert identified(frame, "") == (200, {"changed": False})


def test_a_token_works_once_and_for_a_minute(
    frame: SiteBrowser, organization: NewOrganization, api: Client
) -> None:
    token = widget_token(organization.secret_key, ADA)
    thief = SiteBrowser(frame.root)
    old = widget_token(organization.secret_key, EVE, now=clock.now_ms() / 1_000 - 91)

    assert identified(frame, token)[0] == 200
    assert identified(thief, token) == (400, {"code": "token_used"})
    assert identified(thief, old) == (400, {"code": "token_expired"})
    assert not is_signed_in(thief)
    assert api.get("/v1/site/sign-in").body["problem"]["code"] == "token_expired"


def test_a_token_of_the_help_site_is_none_of_the_widget_and_the_other_way_round(
    frame: SiteBrowser, organization: NewOrganization, api: Client
) -> None:
    app = {"method": "app", "appUrl": "https://app.example.com/help"}
    assert api.patch("/v1/site/sign-in", app).status == 200
    site = SiteBrowser(frame.root)
    state = site.ask("GET", "/sign-in/go", None).headers["location"].partition("state=")[2]

    assert identified(frame, sign_in_token(organization.secret_key, state, ADA)) == (
        400,
        {"code": "invalid_token"},
    )
    sent = {"token": widget_token(organization.secret_key, ADA)}
    led = site.send("/sign-in/return", sent).headers["location"]
    assert "why=over" in site.ask("GET", led, None).headers["location"]


def test_a_token_of_another_organization_or_of_nobody_is_refused(
    frame: SiteBrowser, stranger: Client
) -> None:
    foreign = widget_token(str(stranger.credential), ADA)

    assert identified(frame, foreign) == (400, {"code": "invalid_signature"})
    assert identified(frame, "x.y.z") == (400, {"code": "invalid_token"})


def test_only_the_frames_own_page_passes_a_token_on(
    frame: SiteBrowser, organization: NewOrganization
) -> None:
    token = widget_token(organization.secret_key, ADA)

    assert identified(frame, token, csrf="0" * 64)[0] == 403
    csrf = str(frame.open("/widget").one("html").attributes["data-csrf"])
    sent = {"csrf": csrf, "token": token}
    assert frame.send("/sign-in/widget", sent, **{"sec-fetch-site": "cross-site"}).status == 403
    assert not is_signed_in(frame)
