"""The operator's command writes the rows that the stream would have written."""

from typing import Any

import pytest

from helpdesk.analytics import repository
from helpdesk.analytics.rows import Fact
from helpdesk.storage.table import Item
from scripts.facts import write_facts
from tests.integration.analytics.conftest import Desk
from tests.support import table
from tests.support.changes import rows


def _without_sequence(found: list[Item]) -> list[Item]:
    # `l` is when a customer wrote last: the stream's reader writes it once an hour.
    return [{name: value for name, value in row.items() if name not in {"q", "n", "l"}} for row in found]


def test_rows_of_the_past_are_those_of_the_stream_and_are_written_once(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    conversation = desk.write("ada", user={"name": "Ada"})["conversationId"]
    desk.answer()
    desk.write("ada", "Hello?")
    desk.stream.deliver()
    desk.api.post(f"/v1/conversations/{conversation}/resolve")
    desk.api.post("/v1/signals", {"kind": "bug", "title": "The door is stuck"})
    desk.stream.deliver()
    expected = rows()
    for item in expected:
        table.remove(item["SK"])

    first = write_facts(None)
    found = rows()

    assert _without_sequence(found) == _without_sequence(expected)
    assert write_facts(desk.organization)["written"] == first["written"]
    assert rows() == found
    assert "items read" in capsys.readouterr().err


def test_what_is_erased_while_rows_are_written_has_none(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.write("ada")
    desk.api.post("/v1/signals", {"kind": "bug", "title": "The door is stuck"})
    put, put_conversation = repository.put, repository.put_conversation

    def put_and_remove(organization: str, fact: Fact, *rest: Any) -> bool:
        done = put(organization, fact, *rest)
        if fact.dataset == "signals":
            table.remove("SIGNAL")
        return done

    def put_conversation_and_remove(*values: Any) -> None:
        put_conversation(*values)
        table.remove("MSG#", "CONV")

    monkeypatch.setattr(repository, "put", put_and_remove)
    monkeypatch.setattr(repository, "put_conversation", put_conversation_and_remove)
    write_facts(None)

    left = {row["PK"].split("#")[3] for row in rows()}
    assert left.isdisjoint({"signals", "conversations", "messages"})


def test_another_organization_is_left_alone(desk: Desk) -> None:
    desk.write("ada")

    write_facts("org_01jd3k5v9w0000000000000000")

    assert [row for row in rows() if "conversations" in row["PK"]] == []
