"""The sentences that visitors read, as GET and PATCH /v1/agent show and change them."""

import sys
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.agent import service
from helpdesk.agent.record import AgentSettings
from helpdesk.storage import table
from helpdesk.visitor_texts.catalog import PLACEHOLDERS
from helpdesk.visitor_texts.languages import LANGUAGES
from helpdesk.visitor_texts.texts import every_key
from tests.support.api import Client

ENGLISH = "I'm passing this to our team. Someone will answer you here as soon as possible."
GERMAN = "Ich gebe Ihre Anfrage an unser Team weiter. Sie erhalten hier so bald wie möglich eine Antwort."


def test_every_sentence_is_shown_in_every_language(api: Client) -> None:
    answer = api.get("/v1/agent?texts=true").body
    assert set(answer["texts"]["handoff"]) == set(LANGUAGES)
    assert (answer["texts"]["handoff"]["en"], answer["texts"]["handoff"]["de"]) == (ENGLISH, GERMAN)
    assert answer["customTexts"] == {}


def test_an_own_sentence_is_shown_as_such_and_the_others_stay(api: Client) -> None:
    changed = api.patch(
        "/v1/agent?texts=true",
        {"texts": {"handoff": {"de": "  Einen Moment, bitte. "}, "goodbye": {"fr": "Adieu."}}},
    )
    assert changed.status == 200
    for answer in (changed.body, api.get("/v1/agent?texts=true").body):
        assert answer["texts"]["handoff"]["de"] == "Einen Moment, bitte."
        assert answer["texts"]["handoff"]["en"] == ENGLISH
        assert answer["customTexts"] == {"handoff": ["de"], "goodbye": ["fr"]}
    api.patch("/v1/agent", {"texts": {"handoff": {"en": "One moment."}}})
    assert api.get("/v1/agent").body["customTexts"] == {"handoff": ["en", "de"], "goodbye": ["fr"]}


def test_null_or_the_default_itself_returns_to_the_default(api: Client) -> None:
    own = {"handoff": {"de": "Moment.", "fr": "Un instant."}, "goodbye": {"de": "Ade."}}
    api.patch("/v1/agent", {"texts": own})
    kept = api.patch("/v1/agent", {"name": "Robin"}).body["customTexts"]
    left = api.patch("/v1/agent", {"texts": {"handoff": {"de": GERMAN}, "goodbye": None}}).body["customTexts"]
    assert (kept, left) == ({"handoff": ["de", "fr"], "goodbye": ["de"]}, {"handoff": ["fr"]})
    assert api.get("/v1/agent").body["customTexts"] == left


def test_what_was_read_can_be_sent_back_and_changes_nothing(
    api: Client, organization: NewOrganization
) -> None:
    api.patch("/v1/agent", {"texts": {"handoff": {"de": "Moment."}}})
    before = table.get(AgentSettings.key_for(organization.organization_id))
    read = api.get("/v1/agent?texts=true").body
    sent_back = {"texts": read["texts"], "language": read["language"]}
    assert api.patch("/v1/agent?texts=true", sent_back).body == read
    assert table.get(AgentSettings.key_for(organization.organization_id)) == before


def test_every_sentence_can_be_changed_to_the_longest_and_put_back_in_one_request(api: Client) -> None:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(10_000)  # moto parses an expression recursively
    try:
        longest: dict[str, dict[str, str]] = {}
        for name, language in every_key():
            required = "".join(f"{{{each}}}" for each in sorted(PLACEHOLDERS[name].required))
            longest.setdefault(name, {})[language] = (required + "‽" * 400)[:400]
        assert api.patch("/v1/agent", {"texts": longest, "personality": "🦊" * 2_000}).status == 200
        assert api.get("/v1/agent?texts=true").body["texts"] == longest
        assert api.patch("/v1/agent", {"texts": None}).body["customTexts"] == {}
        assert api.get("/v1/agent?texts=true").body["texts"]["handoff"]["en"] == ENGLISH
    finally:
        sys.setrecursionlimit(before)


def test_two_changes_of_two_sentences_at_once_both_stay(api: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    read = service.settings_of
    others = [{"texts": {"handoff": {"fr": "Un instant."}}}]

    def overtaken(organization: str) -> Any:
        found = read(organization)
        if others:
            api.patch("/v1/agent", others.pop())
        return found

    monkeypatch.setattr(service, "settings_of", overtaken)
    api.patch("/v1/agent", {"texts": {"handoff": {"de": "Moment."}}})
    assert api.get("/v1/agent").body["customTexts"] == {"handoff": ["de", "fr"]}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"texts": {"handoff": {"da": "x"}}},
            "Unknown field `texts.handoff.da`. Allowed in `texts.handoff`: en, de, fr, es, it, pt, nl.",
        ),
        ({"texts": {"handoff": {"de": 7}}}, "`texts.handoff.de` must be text."),
        ({"texts": {"handoff": "x"}}, "`texts.handoff` must be an object."),
    ],
)
def test_a_refusal_names_the_fix_and_changes_nothing(
    api: Client, organization: NewOrganization, change: dict[str, Any], message: str
) -> None:
    answer = api.patch("/v1/agent", {"name": "Robin", **change})
    assert (answer.status, answer.code) == (400, "invalid_request")
    assert answer.message == message
    assert table.get(AgentSettings.key_for(organization.organization_id)) is None


def test_a_change_is_logged_with_the_names_of_the_sentences_and_without_their_text(admin: Client) -> None:
    admin.patch(
        "/v1/agent", {"name": "Robin", "texts": {"handoff": {"de": "Geheim."}, "goodbye": {"en": "Bye."}}}
    )
    (entry, _) = admin.get("/v1/logs").body["logs"]
    assert entry["summary"] == "The agent's settings were changed: name, texts."
    assert entry["detail"] == {"settings": ["name", "texts.handoff.de", "texts.goodbye.en"]}


def test_sentences_belong_to_one_organization_and_to_its_admins(
    api: Client, member: Client, stranger: Client
) -> None:
    api.patch("/v1/agent", {"texts": {"handoff": {"en": "One moment."}}})
    assert stranger.get("/v1/agent?texts=true").body["texts"]["handoff"]["en"] == ENGLISH
    assert member.get("/v1/agent?texts=true").body["texts"]["handoff"]["en"] == "One moment."
    refused = member.patch("/v1/agent", {"texts": None})
    assert (refused.status, refused.code) == (403, "forbidden")


def test_settings_of_a_version_that_was_rolled_back_can_still_be_read(
    api: Client, organization: NewOrganization
) -> None:
    item = AgentSettings.key_for(organization.organization_id).attributes()
    table.put_new(
        {**item, "language": "xx", "text.handoff.xx": "?", "text.farewell.en": "?", "text.goodbye.en": 7}
    )
    answer = api.get("/v1/agent").body
    assert (answer["language"], answer["customTexts"]) == ("en", {})
