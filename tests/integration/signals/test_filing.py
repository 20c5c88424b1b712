"""Filing, listing and changing signals."""

from functools import partial
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from tests.support.api import Client
from tests.support.interleaving import interleaved
from tests.support.signals import (
    BUG,
    conversation,
    events,
    filed,
    read,
    require_consistent,
    set_status,
    stored,
)


def test_a_bug_is_filed_and_read_with_its_first_reporter(
    api: Client, member: Client, organization: NewOrganization
) -> None:
    asked = conversation(api, user={"name": "Vera", "email": "vera@example.com"})
    signal = filed(member, body=" It ends at row 1,000. ", conversationId=asked, quote="Half is missing!")

    found = read(api, signal)
    assert found["signal"] == {
        "id": signal,
        "kind": "bug",
        "title": "The export stops",
        "body": "It ends at row 1,000.",
        "priority": "medium",
        "status": "open",
        "reporterCount": 1,
        "aliases": [],
        "filedAt": found["signal"]["filedAt"],
        "updatedAt": found["signal"]["filedAt"],
        "updatedBy": found["signal"]["updatedBy"],
        "updatedByName": "Max Member",
        "tracker": None,
        "codehost": None,
    }
    [reporter] = found["reporters"]
    assert reporter == {
        "conversations": [{"conversationId": asked, "subject": "It stops!"}],
        "who": "Vera",
        "quote": "Half is missing!",
        "reportedAt": reporter["reportedAt"],
        "notifiedAt": None,
        "images": [],
    }
    assert (found["commits"], found["nextCursor"]) == ([], None)
    assert events() == [("bug.created", found["signal"])]
    require_consistent(organization.organization_id)


def test_a_suggestion_sends_an_event_of_its_own(api: Client) -> None:
    filed(api, "Dark mode", kind="suggestion")

    assert [(kind, signal["kind"]) for kind, signal in events()] == [("suggestion.created", "suggestion")]


@pytest.mark.parametrize(
    ("body", "code", "said"),
    [
        ({"kind": "bug"}, "signal_empty", "are blank"),
        ({"kind": "bug", "title": " ", "body": "\u200b"}, "signal_empty", "are blank"),
        ({"kind": "bug", "body": "It stops"}, "title_required", "needs a `title`"),
        ({**BUG, "quote": "Help!"}, "invalid_request", "require a reporter"),
        ({**BUG, "who": "V", "customerId": "cus_1"}, "invalid_request", "Send only one of"),
        ({**BUG, "conversationId": "conv_1"}, "conversation_not_found", "No conversation"),
        ({**BUG, "conversationId": "conv#1"}, "conversation_not_found", "No conversation"),
        ({**BUG, "customerId": "cus_1"}, "customer_not_found", "No customer"),
    ],
)
def test_what_cannot_be_filed_is_refused_with_the_fix(
    api: Client, organization: NewOrganization, body: dict[str, Any], code: str, said: str
) -> None:
    answer = api.post("/v1/signals", body)

    assert (answer.code, said in answer.message) == (code, True), answer.message
    assert stored(organization.organization_id) == ([], [])


def test_a_title_is_unique_among_titles_and_aliases_of_one_organization(
    api: Client, stranger: Client, organization: NewOrganization
) -> None:
    signal = filed(api, "Dark mode")

    refused = api.post("/v1/signals", {"kind": "suggestion", "title": " DARK  mode"})
    assert (refused.status, refused.code) == (409, "signal_exists")
    assert signal in refused.message
    filed(stranger, "Dark mode")
    require_consistent(organization.organization_id)


def test_of_two_that_file_the_same_title_at_once_one_succeeds(
    api: Client, organization: NewOrganization
) -> None:
    for seed in range(4):
        body = {"kind": "bug", "title": f"Title {seed}"}
        pieces = [partial(api.post, "/v1/signals", body)] * 2
        assert sorted(each.status for each in interleaved(pieces, seed).all()) == [200, 409]
    require_consistent(organization.organization_id)


def test_the_list_is_newest_first_filtered_and_paged(api: Client, stranger: Client) -> None:
    first = filed(api, "One", priority="high")
    second = filed(api, "Two", kind="suggestion")
    third = filed(api, "Three", priority="high")
    set_status(api, third, "planned")

    def listed(query: str, client: Client = api) -> list[str]:
        return [each["id"] for each in client.get(f"/v1/signals{query}").body["signals"]]

    assert listed("") == [third, second, first]
    assert listed("?kind=suggestion") == [second]
    assert listed("?status=open") == [second, first]
    assert listed("?priority=high&kind=bug") == [third, first]
    assert listed("?status=open&priority=high") == [first]
    assert listed("", stranger) == []
    page = api.get("/v1/signals?limit=2").body
    assert listed(f"?limit=2&cursor={page['nextCursor']}") == [first]
    assert api.get(f"/v1/signals?kind=bug&cursor={page['nextCursor']}").code == "invalid_cursor"
    assert api.get("/v1/signals?q=+").code == "invalid_request"


def test_a_change_keeps_the_rest_and_sends_one_event(api: Client, member: Client) -> None:
    signal = filed(api, body="It ends.")

    changed = member.patch(f"/v1/signals/{signal}", {"priority": "urgent", "status": "in progress"})
    assert changed.status == 200
    shown = changed.body["signal"]
    assert (shown["priority"], shown["status"], shown["body"]) == ("urgent", "in progress", "It ends.")
    assert shown["updatedByName"] == "Max Member"
    assert shown == read(api, signal)["signal"]
    assert events()[1:] == [("signal.updated", shown)]
    again = member.patch(
        f"/v1/signals/{signal}", {"priority": "urgent", "body": " It ends. ", "notify": False}
    )
    assert again.body["signal"] == shown
    assert len(events()) == 2


def test_every_status_follows_every_other(api: Client) -> None:
    signal = filed(api)
    states = ["planned", "in progress", "in review", "done", "declined", "open"]
    for before in states:
        for after in states:
            set_status(api, signal, before)
            assert set_status(api, signal, after)["status"] == after


def test_a_title_that_a_signal_no_longer_has_is_free(api: Client, organization: NewOrganization) -> None:
    signal = filed(api, "One")
    other = filed(api, "Two")

    taken = api.patch(f"/v1/signals/{signal}", {"title": "two"})
    assert (taken.status, taken.code, other in taken.message) == (409, "signal_exists", True)
    assert api.patch(f"/v1/signals/{signal}", {"title": " "}).code == "title_required"
    assert api.patch(f"/v1/signals/{signal}", {"title": "ONE"}).body["signal"]["title"] == "ONE"
    assert api.patch(f"/v1/signals/{signal}", {"title": "Three"}).body["signal"]["aliases"] == []
    filed(api, "one")
    require_consistent(organization.organization_id)


def test_two_changes_at_once_are_both_kept(api: Client, organization: NewOrganization) -> None:
    signal = filed(api)
    for seed in range(4):
        changes = ({"title": f"Title {seed}"}, {"body": f"Body {seed}"})
        pieces = [partial(api.patch, f"/v1/signals/{signal}", change) for change in changes]
        assert [each.status for each in interleaved(pieces, seed).all()] == [200, 200]
        shown = read(api, signal)["signal"]
        assert (shown["title"], shown["body"]) == (f"Title {seed}", f"Body {seed}")
        require_consistent(organization.organization_id)
