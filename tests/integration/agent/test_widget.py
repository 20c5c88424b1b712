"""GET /widget/settings: the settings of a chat widget, which the customer's server requests."""

from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from tests.support.api import Answer, Client


def without_texts(answer: Answer) -> dict[str, Any]:
    return {name: value for name, value in answer.body.items() if name != "texts"}


def test_the_defaults_apply_until_someone_edits_them(api: Client) -> None:
    assert without_texts(api.get("/v1/widget/settings")) == {
        "agentName": "Assistant",
        "requireEmail": False,
        "messagePreview": True,
        "showBranding": True,
        "language": "en",
    }


def test_it_shows_the_settings(api: Client) -> None:
    api.patch("/v1/agent", {"name": "Robin", "requireEmail": True, "messagePreview": False, "language": "nl"})
    api.post("/v1/billing/branding", {"showBranding": False})

    assert without_texts(api.get("/v1/widget/settings")) == {
        "agentName": "Robin",
        "requireEmail": True,
        "messagePreview": False,
        "showBranding": False,
        "language": "nl",
    }


def test_its_texts_are_in_the_visitors_language_or_else_in_the_organizations(api: Client) -> None:
    api.patch("/v1/agent", {"language": "nl", "texts": {"widgetSend": {"de": "Abschicken"}}})

    german = api.get("/v1/widget/settings?language=de-AT%2Cde%3Bq%3D0.9%2Cen%3Bq%3D0.8").body
    assert (german["language"], german["texts"]["widgetSend"]) == ("de", "Abschicken")
    assert german["texts"]["widgetWaiting"] == "Jemand aus unserem Team antwortet Ihnen hier."
    assert german["texts"]["refusalLength"] == "Ihre Nachricht ist zu lang. Bitte kürzen Sie sie."
    for query in ("", "?language=", "?language=pl", "?language=%00%F0%9F%A6%8A"):
        other = api.get(f"/v1/widget/settings{query}").body
        assert (other["language"], other["texts"]["widgetSend"]) == ("nl", "Versturen"), query
    assert "handoff" not in german["texts"]


def test_the_others_settings_are_not_seen(api: Client, stranger: Client) -> None:
    api.patch("/v1/agent", {"name": "Robin"})

    assert stranger.get("/v1/widget/settings").body["agentName"] == "Assistant"


@pytest.mark.parametrize("path", ["/v1/widget/settings", "/v1/messages?session=visitor-0001"])
def test_a_publishable_key_opens_nothing(organization: NewOrganization, path: str) -> None:
    answer = Client(organization.publishable_key).get(path)

    assert (answer.status, answer.code) == (401, "publishable_key")
