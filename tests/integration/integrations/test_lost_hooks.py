"""Hooks that GitHub could not deliver, and delivers again (GitHub Docs, "Handling failed webhook deliveries")."""

from collections.abc import Iterator, Mapping

import pytest

from helpdesk.integrations.github import lost_hooks
from helpdesk.integrations.record import Connection
from helpdesk.platform.clock import frozen, now_us
from scripts.services import codehost_attempts as attempts
from scripts.services import codehost_hooks as hooks
from scripts.services.codehost import CodeHost
from scripts.services.server import Said, Services
from tests.support.api import Client, function
from tests.support.issues import Issues, acme, connection, issues, opening, repository, workers
from tests.support.workers import LongContext

__all__ = ["acme", "connection", "issues", "opening", "repository", "workers"]

LIST = "/app/hook/deliveries"
ZERO = "0" * 40


@pytest.fixture
def repeated(github: CodeHost) -> list[hooks.Sent]:
    """What GitHub was asked to deliver again."""
    sent: list[hooks.Sent] = []
    github.on_repeat = lambda headers, body: sent.append((dict(headers), body))
    return sent


class Clock:
    """The time here and at GitHub."""

    def __init__(self) -> None:
        self.now = now_us()

    def pass_minutes(self, minutes: float) -> None:
        self.now += round(minutes * 60_000_000)


@pytest.fixture
def time(github: CodeHost) -> Iterator[Clock]:
    clock = Clock()
    github.clock = lambda: clock.now / 1_000_000
    with frozen(lambda: clock.now):
        yield clock


def run() -> None:
    """Do the run of every ten minutes."""
    assert function("integration_worker").handler({"run": "hooks"}, LongContext()) is None


def asked(services: Services) -> int:
    """Return how many hooks GitHub was asked for so far."""
    return len(services.said_to("POST", f"{LIST}/"))


def a_card(api: Client) -> tuple[str, str]:
    made = str(api.post("/v1/tasks", {"title": "Mend the export"}).body["id"])
    return made, str(api.get(f"/v1/tasks/{made}").body["task"]["key"])


def test_a_push_that_did_not_arrive_finishes_its_card_within_ten_minutes(
    issues: Issues, repeated: list[hooks.Sent]
) -> None:
    made, key = a_card(issues.api)
    attempts.failed(issues.github, *issues.sent(hooks.push, ZERO, f"Fixes {key}"))
    run()
    [sent] = repeated
    issues.hear(sent)

    assert issues.api.get(f"/v1/tasks/{made}").body["task"]["status"] == "done"


def test_a_hook_that_arrived_although_its_attempt_failed_does_nothing_when_it_comes_again(
    issues: Issues, repeated: list[hooks.Sent]
) -> None:
    made, key = a_card(issues.api)
    sent = issues.sent(hooks.push, ZERO, f"Fixes {key}")
    issues.hear(sent)
    issues.api.patch(f"/v1/tasks/{made}", {"status": "planned"})
    attempts.failed(issues.github, *sent)
    run()
    issues.hear(repeated[0])

    assert issues.api.get(f"/v1/tasks/{made}").body["task"]["status"] == "planned"


def test_each_attempt_that_failed_is_followed_by_one_request(issues: Issues, time: Clock) -> None:
    attempts.failed(issues.github, *issues.sent(hooks.push, ZERO, "One"))
    attempts.failed(issues.github, *issues.sent(hooks.pull_request, 7, "Two"))
    issues.repository.open_issue("Three", None, "ada", 0)
    attempts.failed(issues.github, *issues.sent(hooks.issue, 1, "deleted"))
    for _ in range(3):
        run()
        time.pass_minutes(10)

    assert asked(issues.services) == 3


def test_a_hook_that_fails_again_and_again_is_asked_for_ever_more_rarely_and_given_up(
    issues: Issues, time: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(headers: Mapping[str, str], body: str) -> None:
        attempts.failed(issues.github, headers, body)

    issues.github.on_repeat = fail
    attempts.failed(issues.github, *issues.sent(hooks.push, ZERO, "One"))
    at, begun = [], time.now
    for minute in (0, 10, 60, 70, 240, 250, 600, 610, 1_320, 1_330, 2_760, 2_770, 2_780, 4_200):
        time.pass_minutes(minute - (time.now - begun) / 60_000_000)
        before = asked(issues.services)
        run()
        if asked(issues.services) > before:
            at.append(minute)

    assert at == [0, 10, 70, 250, 610, 1_330, 2_770]
    assert [record.message for record in caplog.records].count("hook_given_up") == 1


def test_attempts_are_listed_page_by_page_and_the_oldest_is_repeated_first(
    issues: Issues, repeated: list[hooks.Sent], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lost_hooks, "ON_A_PAGE", 2)
    sent = [issues.sent(hooks.push, ZERO, f"Commit {number}") for number in range(5)]
    for each in sent:
        attempts.failed(issues.github, *each)
    run()

    assert len(issues.services.said_to("GET", LIST)) == 3
    assert [body for _, body in repeated] == [body for _, body in sent]


def test_what_github_does_not_keep_and_what_nobody_takes_is_left_alone(issues: Issues, time: Clock) -> None:
    issues.github.clock = lambda: time.now / 1_000_000 - 2.9 * 86_400
    attempts.failed(issues.github, *issues.sent(hooks.push, ZERO, "Long ago"))
    issues.github.clock = lambda: time.now / 1_000_000
    headers, body = issues.sent(hooks.push, ZERO, "Another event")
    attempts.failed(issues.github, {**headers, "x-github-event": "check_suite"}, body)
    time.pass_minutes(0.2 * 24 * 60)
    run()

    assert asked(issues.services) == 0


@pytest.mark.parametrize(
    "said",
    [
        Said(403, {"message": "You have exceeded a secondary rate limit."}),
        Said(429, {"message": "Slow down."}, headers={"retry-after": "60"}),
        Said(401, {"message": "Bad credentials"}),
        Said(502, {"message": "Server Error"}),
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_where_github_refuses_the_next_run_goes_on(
    issues: Issues, repeated: list[hooks.Sent], method: str, said: Said
) -> None:
    attempts.failed(issues.github, *issues.sent(hooks.push, ZERO, "One"))
    issues.services.fail(method, LIST, said=said)
    run()
    assert repeated == []
    run()

    assert len(repeated) == 1


def test_an_attempt_that_github_no_longer_repeats_is_not_asked_for_again(issues: Issues) -> None:
    attempts.failed(issues.github, *issues.sent(hooks.push, ZERO, "One"))
    issues.services.fail("POST", LIST, said=Said(422, {"message": "The delivery is too old."}))
    run()
    run()

    assert asked(issues.services) == 1


def test_a_run_without_failures_is_one_request(services: Services) -> None:
    run()

    assert [str(each) for each in services.asked] == [f"GET api.github.com{LIST}"]


def test_the_runs_time_bounds_what_is_asked_for(issues: Issues, time: Clock) -> None:
    attempts.failed(issues.github, *issues.sent(hooks.push, ZERO, "One"))

    assert lost_hooks.ask_again(time.now // 1_000) == 0
    assert asked(issues.services) == 0


@pytest.mark.parametrize("is_back", [True, False])
def test_a_suspension_that_comes_late_breaks_the_connection_only_if_it_is_so_still(
    issues: Issues, connection: Connection, is_back: bool
) -> None:
    sent = hooks.installation(issues.github, issues.acme, "suspend")
    issues.acme.suspended = not is_back
    issues.hear(sent)

    rows: list[Mapping[str, str]] = issues.api.get("/v1/integrations").body["integrations"]
    [row] = [each for each in rows if each["app"] == "codehost"]
    assert row["status"] == ("connected" if is_back else "broken")
    assert (row["problem"] is None) == is_back
