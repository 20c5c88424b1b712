"""GET /widget/settings: the settings of a chat widget, which the customer's server requests."""

import pytest

from helpdesk.organizations.schemas import NewOrganization
from tests.support.api import Client
from tests.support.aws import recorded_calls


def test_the_defaults_apply_until_someone_edits_them(api: Client) -> None:
    assert api.get("/v1/widget/settings").body == {
        "agentName": "Assistant",
        "requireEmail": False,
        "messagePreview": True,
        "showBranding": True,
    }


def test_it_shows_the_settings(api: Client) -> None:
    api.patch("/v1/agent", {"name": "Robin", "requireEmail": True, "messagePreview": False})
    api.post("/v1/billing/branding", {"showBranding": False})

    assert api.get("/v1/widget/settings").body == {
        "agentName": "Robin",
        "requireEmail": True,
        "messagePreview": False,
        "showBranding": False,
    }


def test_a_member_reads_it_too(member: Client) -> None:
    assert member.get("/v1/widget/settings").status == 200


def test_the_others_settings_are_not_seen(api: Client, stranger: Client) -> None:
    api.patch("/v1/agent", {"name": "Robin"})

    assert stranger.get("/v1/widget/settings").body["agentName"] == "Assistant"


@pytest.mark.parametrize("path", ["/v1/widget/settings", "/v1/messages?session=visitor-0001"])
def test_a_publishable_key_opens_nothing(organization: NewOrganization, path: str) -> None:
    answer = Client(organization.publishable_key).get(path)

    assert (answer.status, answer.code) == (401, "publishable_key")


def test_it_is_a_read_and_costs_three_calls(api: Client) -> None:
    with recorded_calls() as calls:
        answer = api.get("/v1/widget/settings")

    assert calls == ["dynamodb:UpdateItem", "dynamodb:GetItem", "dynamodb:GetItem"]
    assert answer.headers["ratelimit-policy"].startswith('"read"')
