"""Saved replies: what is accepted, lists, changes, the limit, and who wrote them."""

from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.conversations.replies.errors import MAX_REPLIES
from helpdesk.conversations.replies.record import SavedReplyCount
from helpdesk.platform import clock
from helpdesk.storage import table
from tests.support.api import Client
from tests.support.between import TRANSACTIONS, before_call
from tests.support.people import issue_token

NOW = 1_800_000_000_000
REFUND = {"title": "Refund", "body": "Hello {{customer.name}}, refunds take 14 days."}


def listed(api: Client, parameters: str = "") -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = api.get(f"/v1/replies{parameters}").body["replies"]
    return found


def test_a_member_saves_a_reply_that_the_list_shows_with_its_author(organization: NewOrganization) -> None:
    member = Client(issue_token(organization.organization_id, role="member", name="Max Member"))
    now = clock.now_ms()
    with clock.frozen(lambda: now * 1_000):
        made = member.post("/v1/replies", {"title": " Refund\n", "body": f" {REFUND['body']} "}).body

    assert made == {
        "id": made["id"],
        **REFUND,
        "createdAt": now,
        "createdBy": made["createdBy"],
        "createdByName": "Max Member",
        "updatedAt": now,
    }
    assert made["createdBy"].startswith("usr_")
    assert listed(member) == [made]


def test_a_change_keeps_what_is_left_out(api: Client) -> None:
    with clock.frozen(lambda: NOW * 1_000):
        made = api.post("/v1/replies", REFUND).body
    with clock.frozen(lambda: (NOW + 5) * 1_000):
        changed = api.patch(f"/v1/replies/{made['id']}", {"title": "Refunds"}).body

    assert changed == {**made, "title": "Refunds", "updatedAt": NOW + 5}
    assert listed(api) == [changed]


def test_two_changes_at_once_both_stay(api: Client) -> None:
    made = api.post("/v1/replies", REFUND).body["id"]
    with before_call(TRANSACTIONS, 0, lambda: api.patch(f"/v1/replies/{made}", {"body": "In 14 days."})):
        api.patch(f"/v1/replies/{made}", {"title": "Refunds"})

    assert [(each["title"], each["body"]) for each in listed(api)] == [("Refunds", "In 14 days.")]


def test_a_deleted_reply_is_gone(api: Client) -> None:
    made = api.post("/v1/replies", REFUND).body["id"]

    assert api.delete(f"/v1/replies/{made}").body == {"ok": True}
    assert listed(api) == []
    for answer in (api.delete(f"/v1/replies/{made}"), api.patch(f"/v1/replies/{made}", {"title": "Refunds"})):
        assert (answer.status, answer.code) == (404, "reply_not_found")


def test_lists_have_the_newest_first_on_pages(api: Client) -> None:
    for number in range(3):
        with clock.frozen(lambda at=NOW + number: at * 1_000):  # type: ignore[misc]
            api.post("/v1/replies", {**REFUND, "title": f"Reply {number}"})
    first = api.get("/v1/replies?limit=2").body
    second = listed(api, f"?limit=2&cursor={first['nextCursor']}")

    assert [each["title"] for each in [*first["replies"], *second]] == ["Reply 2", "Reply 1", "Reply 0"]


@pytest.mark.parametrize(
    ("sent", "stored"),
    [
        ("{{ customer.email }}", "{{customer.email}}"),
        ("{{teammate.name}} of {{organization.name}}", "{{teammate.name}} of {{organization.name}}"),
        ("Write {name} or {{{{", "Write {name} or {{{{"),
    ],
)
def test_placeholders_are_stored_without_spaces_and_other_braces_as_they_are(
    api: Client, sent: str, stored: str
) -> None:
    assert api.post("/v1/replies", {"title": "Braces", "body": sent}).body["body"] == stored


@pytest.mark.parametrize("placeholder", ["{{customer.phone}}", "{{}}", "{{name}}"])
def test_an_unknown_placeholder_is_refused_with_those_that_are_known(api: Client, placeholder: str) -> None:
    refused = api.post("/v1/replies", {"title": "Hello", "body": f"Hello {placeholder}"})

    assert (refused.status, refused.code) == (400, "unknown_placeholder")
    for known in ("{{customer.name}}", "{{customer.email}}", "{{teammate.name}}", "{{organization.name}}"):
        assert known in refused.body["error"]["message"]


@pytest.mark.parametrize("body", [{**REFUND, "title": "\u200b"}, {**REFUND, "body": " \n"}])
def test_a_reply_without_visible_text_is_refused(api: Client, body: dict[str, str]) -> None:
    assert api.post("/v1/replies", body).code == "invalid_request"


def test_the_limit_counts_what_is_there(api: Client, organization: NewOrganization) -> None:
    made = api.post("/v1/replies", REFUND).body["id"]
    table.change(SavedReplyCount.key_for(organization.organization_id), set={"replies": MAX_REPLIES})
    refused = api.post("/v1/replies", REFUND)
    api.delete(f"/v1/replies/{made}")

    assert (refused.status, refused.code) == (400, "too_many_replies")
    assert api.post("/v1/replies", REFUND).status == 200
    assert api.post("/v1/replies", REFUND).status == 400
