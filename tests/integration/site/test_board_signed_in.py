"""The feedback board for visitors who are signed in: what they do is their customer's, on any device."""

import pytest

from tests.integration.site.test_contact import browser_on, signed_in
from tests.support.api import Client
from tests.support.board import require_consistent
from tests.support.site import FORM
from tests.support.site_browser import SiteBrowser


@pytest.fixture
def browser(api: Client) -> SiteBrowser:
    """A browser on the site of the API's organization, which shows its board."""
    return browser_on(api, showBoard=True, language="en")


def test_what_a_signed_in_visitor_does_is_their_customers_on_any_device(
    api: Client, browser: SiteBrowser
) -> None:
    phone, laptop = signed_in(api, browser), signed_in(api, browser)
    [ada] = api.get("/v1/customers").body["customers"]

    phone.open("/board/new")
    page = phone.press("/board/new", title="Dark mode", body="At night")
    assert (page.words("h1"), page.words(".vote-count")) == ("Dark mode", "0 votes")
    [post] = api.get("/v1/board/posts").body["posts"]
    path = f"/board/{post['number']}"
    assert phone.press("/vote").words(".vote-count") == "1 vote"
    assert "Please" in phone.press("/comments", body="Please").words(".comments .thread")

    # The other device knows the vote, and takes it back.
    laptop.open(path)
    assert laptop.form("/vote")[1]["vote"] == "no"
    assert laptop.press("/vote").words(".vote-count") == "0 votes"
    assert laptop.press("/vote").words(".vote-count") == "1 vote"
    # Their vote is one, from wherever it comes.
    phone.open(path)
    where, fields = phone.form("/vote")
    assert phone.send(where, {**fields, "vote": "yes"}).status == 303
    found = api.get(f"/v1/board/posts/{post['id']}").body
    assert found["votes"] == 1
    assert found["author"] == found["comments"][0]["author"]
    assert [each["id"] for each in api.get("/v1/customers").body["customers"]] == [ada["id"]]
    require_consistent(api.get("/v1/organization").body["id"])


def test_nobody_who_is_signed_in_acts_by_a_form_without_a_token(api: Client, browser: SiteBrowser) -> None:
    ada = signed_in(api, browser)
    post = api.post("/v1/board/posts", {"title": "Dark mode", "body": "Please"}).body
    own = {"content-type": FORM, "sec-fetch-site": "same-origin"}

    for action, body in (("vote", "vote=yes"), ("comments", "body=Hello")):
        assert ada.ask("POST", f"/board/{post['number']}/{action}", body, own).status == 403

    found = api.get(f"/v1/board/posts/{post['id']}").body
    assert (found["votes"], found["comments"]) == (0, [])
    assert ada.press("/vote").words(".vote-count") == "1 vote"
