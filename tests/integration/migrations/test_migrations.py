"""The migration runner, with migrations of this test's own."""

from collections.abc import Callable

import pytest

from helpdesk.storage import table
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction
from scripts import admin
from scripts.migrations import runner, versions
from scripts.migrations.runner import Migration, SchemaTooNew
from tests.support import table as everything


def silent(_: str, /) -> None:
    pass


@pytest.fixture(autouse=True)
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a table of a few items take several pages."""
    monkeypatch.setattr(runner, "PAGE_ITEMS", 2)


def fill(count: int) -> None:
    for number in range(count):
        table.put_new({"PK": f"OLD#{number}", "SK": "OLD", "color": "red"})


def colors() -> list[str]:
    return sorted(item["color"] for item in everything.everything() if item["SK"] == "OLD")


def paint(item: Item) -> bool:
    if item["SK"] != "OLD" or item["color"] == "blue":
        return False
    transaction = Transaction()
    transaction.put({**item, "color": "blue"})
    transaction.commit()
    return True


def leave(_: Item) -> bool:
    return False


PAINT = Migration("Paint it blue", paint)
NOTHING = Migration("Nothing", leave)


def test_a_migration_changes_every_item_and_raises_the_schema_version() -> None:
    fill(7)

    assert runner.migrate([PAINT], silent) == 7
    assert colors() == ["blue"] * 7
    assert runner.current().version == 1


def test_a_second_run_does_nothing() -> None:
    fill(3)
    runner.migrate([PAINT], silent)

    assert runner.pending([PAINT]) == []
    assert runner.migrate([PAINT], silent) == 0


def test_migrations_run_in_order_and_only_those_that_are_pending() -> None:
    ran: list[int] = []

    def noted(number: int) -> Migration:
        def change(_: Item) -> bool:
            if number not in ran:
                ran.append(number)
            return False

        return Migration(f"number {number}", change)

    fill(1)
    runner.migrate([noted(1)], silent)
    runner.migrate([noted(1), noted(2), noted(3)], silent)

    assert ran == [1, 2, 3]
    assert runner.current().version == 3


def test_an_interrupted_run_continues_with_the_page_it_had_reached() -> None:
    fill(9)
    seen: list[str] = []

    def dies_at_the_sixth(item: Item) -> bool:
        if len(seen) == 5:
            raise KeyboardInterrupt
        seen.append(item["PK"])
        return paint(item)

    with pytest.raises(KeyboardInterrupt):
        runner.migrate([Migration("Paint it blue", dies_at_the_sixth)], silent)
    again: list[str] = []

    def notes(item: Item) -> bool:
        again.append(item["PK"])
        return paint(item)

    runner.migrate([Migration("Paint it blue", notes)], silent)

    assert colors() == ["blue"] * 9
    assert set(again).isdisjoint(seen[:4])  # the pages that were saved
    assert runner.current().version == 1


def test_a_run_stops_when_another_one_has_finished_its_migration_and_never_lowers_the_version() -> None:
    fill(5)
    offered: list[str] = []

    def is_overtaken(item: Item) -> bool:
        if not offered:
            runner.migrate([PAINT, NOTHING], silent)
        offered.append(item["PK"])
        return False

    assert runner.migrate([Migration("First", is_overtaken)], silent) == 0
    assert len(offered) == 2  # one page
    assert runner.current().version == 2


def test_an_item_that_changed_since_it_was_read_is_offered_again() -> None:
    fill(1)
    offered: list[str] = []

    def loses_once(item: Item) -> bool:
        if item["SK"] != "OLD":
            return False
        offered.append(item["color"])
        if len(offered) == 1:
            raise ConditionFailed({**item, "color": "green"})
        return True

    assert runner.migrate([Migration("First", loses_once)], silent) == 1
    assert offered == ["red", "green"]


def test_code_older_than_the_table_is_refused() -> None:
    runner.migrate([PAINT, NOTHING], silent)

    with pytest.raises(SchemaTooNew):
        runner.migrate([PAINT], silent)


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    """Return the operator's command, with one migration, on the table of the test."""
    monkeypatch.setattr(admin, "use_stack", lambda *_, **__: None)
    monkeypatch.setattr(versions, "MIGRATIONS", (PAINT,))
    return lambda *words: admin.main(words)


def test_the_command_prints_what_is_pending_and_changes_nothing(
    command: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    fill(1)

    assert command("migrate", "--check") == 0
    assert capsys.readouterr().out == '{\n  "schema": 0,\n  "pending": [\n    "1. Paint it blue"\n  ]\n}\n'
    assert [item["PK"] for item in everything.everything()] == ["OLD#0"]


def test_the_command_migrates(command: Callable[..., int], capsys: pytest.CaptureFixture[str]) -> None:
    fill(3)

    assert command("migrate") == 0
    assert capsys.readouterr().out == '{\n  "schema": 1,\n  "changed": 3\n}\n'
    assert colors() == ["blue"] * 3
