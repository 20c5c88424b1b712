"""Reports: who reported a signal, in which words, with which images."""

import base64
from functools import partial
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.platform import clock
from helpdesk.signals import commits
from helpdesk.signals.schemas import CommitInput
from tests.support.api import Client, gateway_event
from tests.support.interleaving import interleaved
from tests.support.lagging import lagging_reads
from tests.support.signals import conversation, events, filed, jobs, read, report, require_consistent, work

PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)


def uploaded(
    api: Client, name: str = "screen.png", media_type: str = "image/png", content: bytes = PNG
) -> Any:
    event = gateway_event("POST", f"/v1/uploads?name={name}", headers={"content-type": media_type})
    event["headers"]["authorization"] = f"Bearer {api.credential}"
    event["body"], event["isBase64Encoded"] = base64.b64encode(content).decode(), True
    answer = api.answer_to(event)
    assert answer.status == 200, answer.body
    return answer.body


def test_a_customer_who_reports_again_adds_the_conversation_and_keeps_their_first_words(
    api: Client, organization: NewOrganization
) -> None:
    first = conversation(api)
    signal = filed(api, conversationId=first, quote="It stops!")
    api.post(f"/v1/conversations/{first}/resolve")
    second = conversation(api, body="Still there")

    shown = report(api, signal, conversationId=second, quote="Other words")

    assert shown["reporterCount"] == 1
    [reporter] = read(api, signal)["reporters"]
    assert [each["conversationId"] for each in reporter["conversations"]] == [first, second]
    assert reporter["quote"] == "It stops!"
    assert [kind for kind, _ in events()] == ["bug.created", "signal.updated"]
    assert report(api, signal, conversationId=second) == shown
    assert len(events()) == 2
    require_consistent(organization.organization_id)


def test_a_customer_and_a_name_report_without_a_conversation(api: Client) -> None:
    signal = filed(api)
    customer = api.post("/v1/customers", {"email": "grace@example.com"}).body["id"]

    assert report(api, signal, customerId=customer)["reporterCount"] == 1
    assert report(api, signal, who="A shop owner", quote="At the fair")["reporterCount"] == 2
    assert report(api, signal, who=" a SHOP  owner", quote="Again")["reporterCount"] == 2
    assert [(each["who"], each["quote"]) for each in read(api, signal)["reporters"]] == [
        ("grace@example.com", ""),
        ("A shop owner", "At the fair"),
    ]


def test_a_customer_of_a_moment_ago_reports_under_their_name(
    api: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    signal = filed(api)

    with lagging_reads(monkeypatch):
        vera = api.post("/v1/customers", {"name": "Vera"}).body["id"]
        report(api, signal, customerId=vera)
        report(api, signal, conversationId=conversation(api, "session-of-nina", user={"name": "Nina"}))

    assert [each["who"] for each in read(api, signal)["reporters"]] == ["Vera", "Nina"]


@pytest.mark.usefixtures("ticking")
def test_reporters_are_paged_oldest_first(api: Client) -> None:
    signal = filed(api)
    began_at = clock.now_us()
    for number in range(5):  # no two in one millisecond, in which they have no order
        with clock.frozen(partial(int, began_at + number * 1_000)):
            report(api, signal, who=f"Reporter {number}")

    found: list[str] = []
    query = "?limit=2"
    while True:
        page = read(api, signal, query)
        found += [each["who"] for each in page["reporters"]]
        if page["nextCursor"] is None:
            break
        query = f"?limit=2&cursor={page['nextCursor']}"
    assert found == [f"Reporter {number}" for number in range(5)]
    assert page["signal"]["reporterCount"] == 5


def test_a_page_of_reporters_leaves_room_for_the_commits(
    api: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    signal = filed(api)
    for who in ("One", "Two", "Three"):
        report(api, signal, who=who)
    commit = {"sha": "9fceb02d", "message": "x" * 1_500, "url": "https://git.example.com/1", "author": "Ada"}
    api.post(f"/v1/signals/{signal}/commits", commit)
    monkeypatch.setattr("helpdesk.api.http.pages.MAX_LISTED_BYTES", 2_000)

    first = read(api, signal)
    second = read(api, signal, f"?cursor={first['nextCursor']}")

    assert [len(each["reporters"]) for each in (first, second)] == [2, 1]


def test_reports_at_once_are_all_counted(api: Client, organization: NewOrganization) -> None:
    signal = filed(api)
    for seed in range(3):
        pieces = [
            partial(api.post, f"/v1/signals/{signal}/reports", {"who": who})
            for who in (f"A {seed}", f"B {seed}", f"A {seed}")
        ]
        assert [each.status for each in interleaved(pieces, seed).all()] == [200, 200, 200]
        require_consistent(organization.organization_id)
    assert read(api, signal)["signal"]["reporterCount"] == 6


@pytest.mark.parametrize(
    ("body", "code", "said"),
    [
        ({}, "invalid_request", "Send one of `conversationId`, `customerId` and `who`."),
        ({"quote": "Help"}, "invalid_request", "require a reporter"),
        ({"who": "V", "images": [{}]}, "invalid_request", "`images[0]` must have either"),
        (
            {"who": "V", "images": [{"id": "file_1", "url": "https://a.example/b"}]},
            "invalid_request",
            "`images[0]` must have either",
        ),
        (
            {"who": "V", "images": [{"url": "http://a.example/b"}]},
            "invalid_request",
            "`images[0].url` must be",
        ),
        ({"who": "V", "images": [{"url": "javascript:1"}]}, "invalid_request", "`images[0].url` must be"),
        ({"who": "V", "images": [{"url": "https://a.example/b"}] * 7}, "invalid_request", "at most 6 images"),
        ({"who": "V", "images": [{"id": "file_1"}]}, "attachment_missing", "that of a file uploaded"),
        ({"conversationId": "conv_1"}, "conversation_not_found", "No conversation"),
        ({"customerId": "cus_1"}, "customer_not_found", "No customer"),
    ],
)
def test_what_is_no_report_is_refused_with_the_fix(
    api: Client, body: dict[str, Any], code: str, said: str
) -> None:
    signal = filed(api)
    answer = api.post(f"/v1/signals/{signal}/reports", body)

    assert (answer.code, said in answer.message) == (code, True), answer.message
    assert read(api, signal)["reporters"] == []


def test_uploads_links_and_screenshots_of_the_conversation_are_kept_with_a_report(api: Client) -> None:
    sent = uploaded(api, "sent.png")
    text = uploaded(api, "log.txt", "text/plain", b"a log")
    asked = conversation(
        api, attachments=[{"id": sent["id"], "name": "sent.png"}, {"id": text["id"], "name": "log.txt"}]
    )
    own = uploaded(api, "own.png")
    linked = uploaded(api, "linked.png")

    signal = filed(
        api,
        conversationId=asked,
        images=[
            {"id": own["id"], "name": "Mine"},
            {"url": linked["url"]},
            {"url": "https://images.example.com/a%20b.png?x=1"},
        ],
    )

    [reporter] = read(api, signal)["reporters"]
    assert reporter["images"] == [
        {"url": own["url"], "name": "Mine", "external": False},
        {"url": linked["url"], "name": "linked.png", "external": False},
        {"url": "https://images.example.com/a%20b.png?x=1", "name": "a b.png", "external": True},
        {"url": sent["url"], "name": "sent.png", "external": False},
    ]
    refused = api.post(f"/v1/signals/{signal}/reports", {"who": "V", "images": [{"id": text["id"]}]})
    assert (refused.code, "must be an image" in refused.message) == ("invalid_request", True)


def test_another_organizations_upload_is_not_shown_as_one_of_ours(api: Client, stranger: Client) -> None:
    theirs = uploaded(stranger)
    signal = filed(api)

    assert (
        api.post(f"/v1/signals/{signal}/reports", {"who": "V", "images": [{"id": theirs["id"]}]}).code
        == "attachment_missing"
    )


def test_images_that_the_customer_sends_after_the_report_are_added_to_it(
    api: Client, organization: NewOrganization
) -> None:
    asked = conversation(api)
    signal, other = filed(api, conversationId=asked), filed(api, "Another title", conversationId=asked)
    elsewhere = filed(api, "A third title", conversationId=conversation(api, "session-of-uwe"))
    sent = uploaded(api, "later.png")
    conversation(api, attachments=[{"id": sent["id"], "name": "later.png"}])

    [job] = jobs("images")
    outcomes = [work(job), work(job)]

    shown = [{"url": sent["url"], "name": "later.png", "external": False}]
    assert outcomes == ["added", "added"]
    assert [read(api, each)["reporters"][0]["images"] for each in (signal, other, elsewhere)] == [
        shown,
        shown,
        [],
    ]
    require_consistent(organization.organization_id)


def test_a_reporter_has_six_images_at_most(api: Client) -> None:
    signal = filed(api)
    report(api, signal, who="V", images=[{"url": f"https://a.example/{number}"} for number in range(5)])
    report(api, signal, who="V", images=[{"url": f"https://a.example/{number}"} for number in range(4, 9)])

    [reporter] = read(api, signal)["reporters"]
    assert [each["name"] for each in reporter["images"]] == ["0", "1", "2", "3", "4", "5"]
    full = {"who": "V", "images": [{"id": uploaded(api)["id"]}]}
    assert "at most 6 images" in api.post(f"/v1/signals/{signal}/reports", full).message


def test_commits_at_once_do_not_wait_for_each_other(
    api: Client, organization: NewOrganization, monkeypatch: pytest.MonkeyPatch
) -> None:
    signal = filed(api)
    pauses: list[float] = []
    monkeypatch.setattr(clock, "sleep", pauses.append)

    def add(number: int) -> None:
        sent = CommitInput(sha=f"{number:012x}", message="Fix", url="https://git.example.com/1", author="Ada")
        commits.add(organization.organization_id, signal, sent)

    interleaved([partial(add, number) for number in range(4)], seed=1).all()

    assert len(read(api, signal)["commits"]) == 4
    assert pauses == []


def test_commits_are_added_once(api: Client) -> None:
    signal = filed(api)
    commit = {"sha": "9FCEB02d", "message": "Fix it", "url": "https://git.example.com/1", "author": "Ada"}

    added = api.post(f"/v1/signals/{signal}/commits", {**commit, "why": "It reads all pages."})
    again = api.post(f"/v1/signals/{signal}/commits", {**commit, "sha": "9fceb02D"})

    assert (added.status, added.body) == (200, again.body)
    assert read(api, signal)["commits"] == [
        {**commit, "id": added.body["id"], "sha": "9fceb02d", "why": "It reads all pages.", "applied": False}
    ]
    assert len(events()) == 1
    for wrong, said in (
        ({"sha": "xyz"}, "`sha` must be"),
        ({"url": "ftp://a"}, "`url` must be"),
        ({"message": "a" * 2_001}, "`message` must be at most"),
        ({"author": "a" * 81}, "`author` must be at most"),
    ):
        answer = api.post(f"/v1/signals/{signal}/commits", {**commit, **wrong})
        assert (answer.code, said in answer.message) == ("invalid_request", True)
