"""What a hand-off keeps of what the agent found: pages for the visitor, and all of them with scores for the team."""

from typing import Any

import pytest

from helpdesk.agent import embedded, found_pages
from helpdesk.agent.answerer import HandOff, Question
from helpdesk.agent.reasons import Reason
from helpdesk.platform.settings import settings
from tests.integration.agent.conftest import REFUNDS, Desk
from tests.support.api import Client
from tests.support.aws import recorded_calls
from tests.support.site import opened
from tests.support.table import events

QUESTION = "How long does a refund take?"
HANDED_OFF = "I'm passing this to our team. Someone will answer you here as soon as possible."
PAGES = "These pages may help in the meantime:"
SITE = "https://help.example"


@pytest.fixture(autouse=True)
def hands_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the agent hand off whatever it finds, and show all of that."""
    monkeypatch.setattr(embedded, "answer", lambda _: HandOff(Reason.NOTHING_FOUND))
    monkeypatch.setattr(found_pages, "MAY_HELP", 0.0)
    monkeypatch.setenv("BASE_URL", SITE)
    settings.cache_clear()


def hand_off(desk: Desk, question: str = QUESTION, session: str = "session-of-vera") -> tuple[str, list[Any]]:
    """Return what the visitor reads, and what the team sees beside the reason."""
    job = desk.write(question, session)
    assert desk.work(job) == []
    *_, message, line = desk.thread(job["conversationId"])
    assert (message["kind"], line["kind"]) == ("message", "system")
    assert message["found"] == []
    return message["body"], line["found"]


def change(api: Client, document_id: str, **fields: Any) -> None:
    assert api.patch(f"/v1/knowledge/documents/{document_id}", fields).status == 200


def test_a_visitor_reads_the_page_of_a_document_and_the_team_its_score(desk: Desk) -> None:
    document_id = desk.learn("Refunds", REFUNDS)
    change(desk.api, document_id, url="https://docs.example/refunds_(all)")

    body, found = hand_off(desk)

    link = "- [Refunds](https://docs.example/refunds_%28all%29)"
    assert body == f"{HANDED_OFF}\n\n{PAGES}\n\n{link}"
    [page] = found
    assert (page["documentId"], page["title"]) == (document_id, "Refunds")
    assert page["url"] == "https://docs.example/refunds_(all)"
    assert 0.5 <= page["score"] <= 1


def test_a_published_document_leads_to_its_article_on_the_help_site(desk: Desk) -> None:
    document_id = desk.learn("Refunds [new]", REFUNDS)
    change(desk.api, document_id, published=True)
    opened(desk.api)
    [article] = desk.api.get("/v1/site/articles").body["articles"]

    body, found = hand_off(desk)

    assert article["url"].startswith(f"{SITE}/site/")
    assert body.endswith(f"\n\n- [Refunds (new)]({article['url']})")
    assert [page["url"] for page in found] == [article["url"]]


def test_a_document_in_a_published_folder_is_shown_as_well(desk: Desk) -> None:
    folder = desk.api.post("/v1/knowledge/folders", {"name": "Money", "published": True}).body["id"]
    document_id = desk.learn("Refunds", REFUNDS)
    change(desk.api, document_id, folderId=folder)
    opened(desk.api)

    assert "/articles/refunds)" in hand_off(desk)[0]


@pytest.mark.parametrize("state", ["internal", "site off", "unpublished meanwhile", "deleted meanwhile"])
def test_a_document_that_visitors_cannot_open_is_not_shown_to_them(desk: Desk, state: str) -> None:
    document_id = desk.learn("Refunds", REFUNDS)
    if state != "internal":
        change(desk.api, document_id, published=True)
    if state != "site off":
        opened(desk.api)
    if state == "unpublished meanwhile":
        change(desk.api, document_id, published=False)
    if state == "deleted meanwhile":
        desk.api.delete(f"/v1/knowledge/documents/{document_id}")

    body, found = hand_off(desk)

    assert body == HANDED_OFF
    seen = [] if state == "deleted meanwhile" else [("Refunds", None)]
    assert [(page["title"], page["url"]) for page in found] == seen


def test_a_page_below_the_floor_is_shown_to_the_team_alone(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    change(desk.api, desk.learn("Refunds", REFUNDS), url="https://docs.example/refunds")
    monkeypatch.setattr(found_pages, "MAY_HELP", 1.1)

    body, found = hand_off(desk)

    assert body == HANDED_OFF
    assert [page["title"] for page in found] == ["Refunds"]


def test_a_visitor_who_asks_for_a_person_is_shown_nothing(desk: Desk) -> None:
    change(desk.api, desk.learn("Refunds", REFUNDS), url="https://docs.example/refunds")

    assert hand_off(desk, "How long does a refund take? I want to talk to a human") == (HANDED_OFF, [])


def test_the_sentence_is_in_the_language_of_the_visitor(desk: Desk) -> None:
    change(desk.api, desk.learn("Refunds", REFUNDS), url="https://docs.example/refunds")

    body, _ = hand_off(desk, "Wie lange dauert es, bis ein Refund bei mir auf dem Konto ist?")

    assert "\n\nVielleicht helfen Ihnen diese Seiten bis dahin weiter:\n\n- [Refunds](" in body


def test_three_pages_are_kept_at_most(desk: Desk) -> None:
    for title in ("Refunds", "Refunds by card", "Refunds by bank", "Refunds of gifts"):
        desk.learn(title, REFUNDS)

    assert len(hand_off(desk)[1]) == 3


def test_neither_the_visitor_nor_a_webhook_gets_what_the_team_sees(desk: Desk) -> None:
    desk.learn("Refunds", REFUNDS)
    hand_off(desk)

    shown = desk.api.get("/v1/messages?session=session-of-vera").body["conversations"]

    assert "found" not in str(shown)
    assert "Refunds" not in str(shown)
    assert "Refunds" not in str(events())


def test_the_pages_stay_where_the_model_fails(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.learn("Refunds", REFUNDS)

    def fail(_: Question) -> HandOff:
        raise RuntimeError

    monkeypatch.setattr(embedded, "answer", fail)
    job = desk.write(QUESTION)
    assert desk.work(job, receives=5) == []

    line = desk.thread(job["conversationId"])[-1]
    assert line["body"].endswith("the agent failed repeatedly.")
    assert [page["title"] for page in line["found"]] == ["Refunds"]


def test_a_hand_off_reads_the_pages_that_it_shows_in_one_call(desk: Desk) -> None:
    desk.learn("Refunds", REFUNDS)
    hand_off(desk)
    job = desk.write(QUESTION, "session-of-otto")

    with recorded_calls() as calls:
        desk.work(job)

    assert calls == [
        "dynamodb:GetItem",  # the conversation
        "dynamodb:Query",  # its thread
        "dynamodb:GetItem",  # the settings
        "dynamodb:Query",  # deleted documents that the index may still have
        "s3:GetObject",  # the manifest, unchanged
        "dynamodb:BatchGetItem",  # the pages, and the site that they are on
        "dynamodb:TransactWriteItems",
    ]


def test_a_trial_shows_what_the_visitor_would_read(desk: Desk) -> None:
    change(desk.api, desk.learn("Refunds", REFUNDS), url="https://docs.example/refunds")

    shown = desk.api.post("/v1/agent/test", {"question": QUESTION}).body

    assert shown["outcome"] == "hand_off"
    assert shown["body"] == f"{HANDED_OFF}\n\n{PAGES}\n\n- [Refunds](https://docs.example/refunds)"
