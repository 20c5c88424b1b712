"""GET and PATCH /v1/agent."""

from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.agent.record import AgentSettings
from helpdesk.storage import table
from tests.support.api import Client

DEFAULTS = {
    "name": "Assistant",
    "personality": "",
    "autoResolve": False,
    "learnFromThreads": True,
    "suggestKnowledge": True,
    "nightlySweep": False,
    "fileSignals": True,
    "requireEmail": False,
    "messagePreview": True,
    "language": "en",
    "customTexts": {},
}


def test_the_defaults_apply_until_someone_edits_them(api: Client, organization: NewOrganization) -> None:
    answer = api.get("/v1/agent")
    assert (answer.status, answer.body) == (200, DEFAULTS)
    assert table.get(AgentSettings.key_for(organization.organization_id)) is None


def test_sent_fields_change_and_the_others_stay(api: Client) -> None:
    answer = api.patch("/v1/agent", {"name": "  Robin  ", "autoResolve": True})
    assert answer.body == {**DEFAULTS, "name": "Robin", "autoResolve": True}
    answer = api.patch("/v1/agent", {"personality": "Brief.", "messagePreview": False})
    expected = {
        **DEFAULTS,
        "name": "Robin",
        "autoResolve": True,
        "personality": "Brief.",
        "messagePreview": False,
    }
    assert answer.body == expected
    assert api.get("/v1/agent").body == expected


def test_a_setting_can_be_put_back(api: Client) -> None:
    api.patch("/v1/agent", {"personality": "Brief.", "nightlySweep": True})
    assert api.patch("/v1/agent", {"personality": "", "nightlySweep": False}).body == DEFAULTS


def test_a_change_is_logged_with_its_fields_and_without_their_text(admin: Client) -> None:
    admin.patch("/v1/agent", {"name": "Robin", "personality": "Never say never."})
    (entry, _) = admin.get("/v1/logs").body["logs"]
    assert entry["kind"] == "settings_changed"
    assert entry["actor"] == "Ada Admin"
    assert entry["summary"] == "The agent's settings were changed: name, personality."
    assert entry["detail"] == {"settings": ["name", "personality"]}


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"name": "Assistant"},
        {"name": None},
        {"language": None},
        {"texts": None},
        {"texts": {"handoff": {"de": None}}},
    ],
)
def test_an_update_without_changes_writes_nothing(
    api: Client, organization: NewOrganization, change: dict[str, Any]
) -> None:
    assert api.patch("/v1/agent", change).body == DEFAULTS
    assert table.get(AgentSettings.key_for(organization.organization_id)) is None
    assert [entry["kind"] for entry in api.get("/v1/logs").body["logs"]] == ["organization_created"]


def test_settings_belong_to_one_organization(api: Client, stranger: Client) -> None:
    api.patch("/v1/agent", {"name": "Robin"})
    assert stranger.get("/v1/agent").body == DEFAULTS
