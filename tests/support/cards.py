"""Signals with cards: making them, reading where they are, and what must always be true of them."""

from helpdesk.accounts.organizations.schemas import NewOrganization
from tests.support import table as whole_table
from tests.support.api import Client

PAIRS = [
    ("requests", "open"),
    ("planned", "planned"),
    ("in_progress", "in progress"),
    ("in_review", "in review"),
    ("done", "done"),
]


def file(api: Client, title: str = "Exports stop") -> str:
    return str(api.post("/v1/signals", {"kind": "bug", "title": title, "body": "At 1,000 rows."}).body["id"])


def adopt(api: Client, signal: str) -> str:
    answer = api.post("/v1/tasks/adopt", {"signalId": signal})
    assert answer.status == 200, answer
    return str(answer.body["id"])


def status_of(api: Client, signal: str) -> str:
    return str(api.get(f"/v1/signals/{signal}").body["signal"]["status"])


def column_of(api: Client, task: str) -> str:
    return str(api.get(f"/v1/tasks/{task}").body["task"]["status"])


def updates() -> list[str]:
    """Return the status in each signal.updated, in order."""
    return [
        each["data"]["signal"]["status"] for each in whole_table.events() if each["type"] == "signal.updated"
    ]


def require_agreement(organization: NewOrganization) -> None:
    """Every signal and its card name each other and are in places that fit, and counts equal rows."""
    items = whole_table.everything()
    cards = {item["id"]: item for item in items if item["SK"] == "TASK"}
    filed = {item["id"]: item for item in items if item["SK"] == "SIGNAL"}
    named = [card["signalId"] for card in cards.values() if "signalId" in card]
    assert len(named) == len(set(named)), "two cards of one signal"
    for signal in filed.values():
        if "mergedInto" in signal:
            assert "taskId" not in signal
            assert signal["id"] not in named
        elif "taskId" in signal:
            card = cards[signal["taskId"]]
            assert card["signalId"] == signal["id"]
            assert (card["status"], signal["status"]) in PAIRS
    assert set(named) == {signal["id"] for signal in filed.values() if "taskId" in signal}
    for card in cards.values():
        rows = [item["SK"] for item in items if item["PK"].endswith(f"#TASK#{card['id']}")]
        assert card["commits"] == sum(row.startswith("COMMIT#") for row in rows)
        assert card["pullRequests"] == sum(row.startswith("PULL#") for row in rows)
        assert card["GSI1PK"] == f"ORG#{organization.organization_id}#COLUMN#{card['status']}"
    numbers = {item["taskId"] for item in items if item["SK"] == "TASKNUMBER"}
    assert numbers == cards.keys()
