"""logs --follow, against a log that the test extends meanwhile."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.cli import Cli, Clock, refusal

START = 1_790_000_000_000


class Log:
    """GET /logs over entries kept newest first, two to a page at most; `steps` run before each sleep."""

    def __init__(self, *entries: dict[str, Any]) -> None:
        self.entries = list(entries)
        self.steps: list[Callable[[], None]] = []
        self.failures: list[Any] = []
        self.queries: list[dict[str, str]] = []

    def handle(self, request: httpx.Request) -> httpx.Response:
        if self.failures:
            failure = self.failures.pop(0)
            if isinstance(failure, Exception):
                raise failure
            return httpx.Response(200, text="<html>") if failure is None else failure
        query = dict(request.url.params)
        self.queries.append(query)
        chosen = [
            entry
            for entry in sorted(self.entries, key=lambda entry: entry["id"], reverse=True)
            if entry.get("lastAt", entry["at"]) >= int(query.get("from", "0"))
            and query.get("kind") in {None, entry["kind"]}
        ]
        start = int(query.get("cursor", "0"))
        end = start + min(int(query["limit"]), 2)
        return httpx.Response(
            200, json={"logs": chosen[start:end], "nextCursor": str(end) if end < len(chosen) else None}
        )

    def before_sleep(self, _seconds: float) -> None:
        if not self.steps:
            raise KeyboardInterrupt
        self.steps.pop(0)()


def entry(number: int, at: int | None = None, kind: str = "key_created") -> dict[str, Any]:
    return {
        "id": f"log_{number:04}",
        "at": START + 1000 * number if at is None else at,
        "kind": kind,
        "actor": "Ada",
        "summary": f"Entry {number}",
        "detail": {},
    }


def follower(log: Log, folder: Path) -> Cli:
    return Cli(
        httpx.MockTransport(log.handle),
        folder,
        clock=Clock(before_sleep=log.before_sleep),
        environment={"HELPDESK_TOKEN": "svc_oat_x"},
    )


def followed(user: Cli, *words: str) -> list[str]:
    result = user.run("logs", "--follow", "--json", *words)
    assert result.exit_code == 0, (result.stderr, result.exception)
    return [json.loads(line)["id"] for line in result.stdout.splitlines()]


def write(log: Log, *entries: dict[str, Any]) -> Callable[[], None]:
    return lambda: log.entries.extend(entries)


def test_new_entries_appear_once_and_in_order_over_any_number_of_pages(tmp_path: Path) -> None:
    log = Log(entry(1), entry(2), entry(3))
    log.steps = [
        write(log),
        write(log, entry(5), entry(4), entry(6), entry(7), entry(8)),
        write(log, entry(9)),
        write(log),
    ]
    user = follower(log, tmp_path)
    assert followed(user) == [f"log_000{n}" for n in range(1, 10)]
    assert user.clock.slept == [5, 5, 5, 5]


def test_it_starts_with_the_newest_entries_and_shows_no_older_ones(tmp_path: Path) -> None:
    log = Log(*[entry(n) for n in range(1, 8)])
    log.steps = [write(log), write(log, entry(8))]
    assert followed(follower(log, tmp_path), "--limit", "3") == [
        "log_0005",
        "log_0006",
        "log_0007",
        "log_0008",
    ]


def test_an_entry_that_was_written_late_is_shown_once(tmp_path: Path) -> None:
    log = Log(entry(1), entry(10))
    log.steps = [write(log, entry(5)), write(log), write(log, entry(500)), write(log)]
    assert followed(follower(log, tmp_path)) == ["log_0001", "log_0010", "log_0005", "log_0500"]
    assert log.queries[-1]["from"] == str(START + 500_000 - 120_000)


def test_an_entry_that_counts_is_shown_once_while_it_counts(tmp_path: Path) -> None:
    refusals = {**entry(1, START), "lastAt": START + 50_000}
    log = Log(refusals)
    # The second poll begins between the two times of the entry.
    log.steps = [lambda: log.entries.append(entry(2, START + 150_000)), lambda: None, lambda: None]

    assert followed(follower(log, tmp_path)) == ["log_0001", "log_0002"]
    assert int(log.queries[-1]["from"]) == START + 30_000


def test_an_empty_log_is_followed_from_its_first_entry(tmp_path: Path) -> None:
    log = Log()
    log.steps = [write(log), write(log, entry(1)), write(log, entry(2))]
    assert followed(follower(log, tmp_path)) == ["log_0001", "log_0002"]


def test_every_request_filters_by_the_kind(tmp_path: Path) -> None:
    log = Log(entry(1), entry(2, kind="key_revoked"))
    log.steps = [write(log, entry(3, kind="key_revoked"), entry(4))]
    assert followed(follower(log, tmp_path), "--kind", "key_revoked") == ["log_0002", "log_0003"]
    assert {query["kind"] for query in log.queries} == {"key_revoked"}


def test_it_waits_whenever_the_rate_limit_is_reached(tmp_path: Path) -> None:
    log = Log(entry(1))
    limited = [refusal(429, "rate_limited", retry_after="90") for _ in range(3)]
    log.steps = [
        lambda: log.failures.extend(limited[:1]),
        lambda: log.failures.extend(limited[1:2]),
        lambda: log.failures.extend(limited[2:]),
        write(log, entry(2)),
    ]
    user = follower(log, tmp_path)
    result = user.run("logs", "--follow", "--json")
    assert [json.loads(line)["id"] for line in result.stdout.splitlines()] == ["log_0001", "log_0002"]
    assert user.clock.slept == [5, 90, 90, 90]
    assert "Retrying in 90 s." in result.stderr


def test_the_interval_grows_while_the_service_is_down_and_then_returns_to_normal(tmp_path: Path) -> None:
    log = Log(entry(1))

    def fail(failure: Any) -> Callable[[], None]:
        return lambda: log.failures.append(failure)

    log.steps = [
        fail(httpx.ConnectError("refused")),
        fail(refusal(500, "internal_error")),
        fail(None),
        write(log, entry(2)),
        write(log),
    ]
    user = follower(log, tmp_path)
    assert followed(user) == ["log_0001", "log_0002"]
    assert user.clock.slept == [5, 10, 20, 40, 5]


def test_an_ended_login_stops_it_with_the_reason(tmp_path: Path) -> None:
    log = Log(entry(1))
    log.steps = [lambda: log.failures.append(refusal(401, "invalid_token", "Gone."))]
    result = follower(log, tmp_path).run("logs", "--follow")
    assert result.exit_code == 1
    assert "Error: invalid_token: Gone." in result.stderr


@pytest.mark.parametrize("words", [(), ("--json",)])
def test_ctrl_c_stops_it_without_a_message(tmp_path: Path, words: tuple[str, ...]) -> None:
    result = follower(Log(entry(1)), tmp_path).run("logs", "--follow", *words)
    assert (result.exit_code, result.stderr) == (0, "")


def test_a_line_has_the_time_the_kind_the_actor_and_the_summary(tmp_path: Path) -> None:
    line = follower(Log(entry(1)), tmp_path).run("logs", "--follow").stdout
    assert line.endswith("  key_created                 Ada: Entry 1\n")
