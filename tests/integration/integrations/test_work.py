"""The worker: tokens that one worker renews, jobs that wait without anyone waiting, connections that break and mend."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from helpdesk.events import integration_jobs as jobs
from helpdesk.events.integration_jobs import App, IntegrationJob
from helpdesk.integrations import credentials, service, worker
from helpdesk.integrations.adapter import Adapter
from helpdesk.integrations.client import ForeignHost, ServiceRequest, TooLarge, send
from helpdesk.integrations.errors import OutcomeUnknown, Revoked, ServiceRateLimited, TryLater
from helpdesk.integrations.github.app_identity import GITHUB
from helpdesk.integrations.github.worker import GitHubAdapter
from helpdesk.integrations.record import Connection, ConnectionStatus, ConnectionTokens
from helpdesk.integrations.worker import GivenUp
from helpdesk.platform import clients, clock, metrics
from helpdesk.platform.settings import settings
from helpdesk.storage import table
from scripts.services.codehost import CodeHost
from scripts.services.repositories import Installation
from scripts.services.server import Said, Services
from scripts.template import loops_written_out
from tests.support.api import Client, function
from tests.support.integrations import put_off
from tests.support.rules import for_each
from tests.support.template import ROOT
from tests.support.workers import LongContext, Workers, received

USER = "https://api.github.com/repos/acme/docs"


@pytest.fixture
def connection(connect_codehost: Callable[..., Connection], acme: Installation) -> Connection:
    """The organization's connection to it."""
    return connect_codehost(acme)


def tokens_asked_for(services: Services) -> int:
    """Return how often a token was asked for."""
    return len(services.said_to("POST", "access_tokens"))


def test_a_token_is_kept_until_shortly_before_it_ends(connection: Connection, services: Services) -> None:
    for _ in range(2):
        assert GITHUB.open(connection).send(ServiceRequest(url=USER)).ok
    assert tokens_asked_for(services) == 1

    later = clock.now_us() + 56 * 60_000_000
    with clock.frozen(lambda: later):
        GITHUB.open(connection)
    assert tokens_asked_for(services) == 2


def test_one_worker_renews_and_the_others_use_what_is_still_valid(
    connection: Connection, services: Services
) -> None:
    first = GITHUB.open(connection)
    stored = credentials.connection_tokens.find(connection.organization, connection.id)
    assert stored is not None
    later = clock.now_us() + 57 * 60_000_000
    with clock.frozen(lambda: later):
        at = clock.now_ms()
        assert credentials.claim(stored, at + 60_000)
        assert not credentials.claim(stored, at + 60_000)
        assert GITHUB.open(connection).tokens == first.tokens

    assert tokens_asked_for(services) == 1


def claim_renewal(connection: Connection) -> None:
    """Let another worker renew the connection's tokens."""
    stored = credentials.connection_tokens.get(connection.organization, connection.id)
    assert credentials.claim(stored, clock.now_ms() + 60_000)


def test_work_that_finds_no_valid_token_is_put_off_while_another_worker_renews(
    connection: Connection, services: Services
) -> None:
    claim_renewal(connection)

    with pytest.raises(TryLater):
        GITHUB.open(connection)
    assert services.asked == []


def test_a_worker_that_died_while_it_renewed_holds_up_nobody_for_long(connection: Connection) -> None:
    claim_renewal(connection)

    later = clock.now_us() + 61_000_000
    with clock.frozen(lambda: later):
        assert GITHUB.open(connection).tokens.ends_at is not None


def test_a_renewal_that_failed_can_be_tried_at_once(connection: Connection, services: Services) -> None:
    services.fail(path="access_tokens", said=Said(502))

    with pytest.raises(TryLater):
        GITHUB.open(connection)
    assert GITHUB.open(connection).tokens.ends_at is not None


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_renewal_that_was_refused_can_be_tried_at_once_and_mends_the_connection_when_it_works(
    connection: Connection, services: Services, status: int
) -> None:
    services.fail(path="access_tokens", said=Said(status))

    with pytest.raises(Revoked) as refused:
        GITHUB.open(connection)
    service.mark_broken(connection, str(refused.value))
    [broken] = service.connections(connection.organization, App.GITHUB)
    assert broken.status is ConnectionStatus.BROKEN
    assert GITHUB.open(broken).tokens.ends_at is not None
    [mended] = service.connections(connection.organization, App.GITHUB)
    assert (mended.status, mended.problem) == (ConnectionStatus.CONNECTED, None)


@for_each(
    "url",
    [
        "https://api.github.com.evil.example/x",
        "https://evil.example/api.github.com",
        "https://api.github.com:8443/x",
        "https://name@api.github.com/x",
        "http://api.github.com/x",
    ],
)
def test_nothing_goes_to_another_host(url: str) -> None:
    with pytest.raises(ForeignHost):
        send(GITHUB.hosts, ServiceRequest(url=url))


def test_a_response_that_is_too_large_is_not_read(services: Services) -> None:
    services.fail(said=Said(200, body=b"x" * 101))

    with pytest.raises(TooLarge):
        send(GITHUB.hosts, ServiceRequest(url=USER, max_bytes=100))


def test_a_redirect_is_a_response(services: Services) -> None:
    services.fail(said=Said(302, headers={"location": "https://evil.example/"}))

    assert send(GITHUB.hosts, ServiceRequest(url=USER)).headers["location"] == "https://evil.example/"
    assert len(services.asked) == 1


@pytest.mark.parametrize(
    ("method", "how", "kind"),
    [
        ("GET", {"said": Said(500)}, TryLater),
        ("GET", {"hangs_up": True}, TryLater),
        ("POST", {"said": Said(500)}, OutcomeUnknown),
        ("POST", {"hangs_up": True}, OutcomeUnknown),
        ("POST", {"said": Said(429)}, ServiceRateLimited),
    ],
)
def test_only_what_may_have_changed_something_is_unknown(
    services: Services, method: Any, how: Mapping[str, Any], kind: type[Exception]
) -> None:
    services.fail(**how)

    with pytest.raises(TryLater) as raised:
        send(GITHUB.hosts, ServiceRequest(method=method, url=USER))
    assert type(raised.value) is kind


@pytest.mark.parametrize(
    ("said", "seconds"), [("7", 7.0), ("Wed, 21 Oct 2099 07:28:00 GMT", None), ("soon", None), ("-3", None)]
)
def test_retry_after_is_read_as_seconds_or_a_date(
    services: Services, said: str, seconds: float | None
) -> None:
    services.fail(said=Said(429, headers={"retry-after": said}))

    with pytest.raises(TryLater) as raised:
        send(GITHUB.hosts, ServiceRequest(url=USER))
    if "2099" in said:
        assert raised.value.seconds is not None
        assert raised.value.seconds > 1_000_000_000
    else:
        assert raised.value.seconds == seconds


class FakeAdapter(Adapter):
    """An adapter whose work is what a test gives it."""

    def __init__(self, work: Callable[[], str]) -> None:
        self._work = work

    def run(self, job: IntegrationJob, until: int) -> str:
        return self._work()

    def on_signal(self, organization: str, signal_id: str, *, filed: bool) -> str:
        return self._work()


def later(seconds: float | None) -> Callable[[], str]:
    """Return work that the service puts off."""

    def work() -> str:
        raise TryLater("busy", seconds)

    return work


def run(job: IntegrationJob, work: Callable[[], str]) -> str:
    """Do a job whose adapter works so."""
    return worker.work(job, {App.GITHUB: FakeAdapter(work)}, clock.now_ms() + 1_000)


JOB = IntegrationJob(kind="look", app=App.GITHUB, organization="org_1", data={"repo": "acme/docs"})


@pytest.mark.parametrize(
    ("tries", "seconds", "wait"), [(0, None, 5), (3, None, 300), (29, None, 3600), (0, 42, 42)]
)
def test_a_job_that_is_put_off_is_queued_again_and_nothing_waits(
    tries: int, seconds: float | None, wait: int
) -> None:
    before = clock.now_ms()
    job = JOB.__replace__(tries=tries)

    assert run(job, later(seconds)) == "put_off"
    assert before + wait * 1_000 <= queued_due_at() <= clock.now_ms() + wait * 1_000


def queued_due_at() -> int:
    """Return until when the job in the queue is put off."""
    return int(queued()["dueAt"])


def queued() -> dict[str, Any]:
    """Return the job in the queue, whatever delay its message has."""
    [message] = put_off()
    return dict(json.loads(message.body))


def test_a_job_that_was_put_off_too_often_is_given_up() -> None:
    with pytest.raises(GivenUp):
        run(JOB.__replace__(tries=30), later(None))


def test_a_job_that_comes_early_is_sent_on_and_not_counted() -> None:
    job = JOB.__replace__(tries=3, due_at=clock.now_ms() + 7_200_000)

    def work() -> str:
        raise AssertionError

    assert run(job, work) == "early"
    assert queued_due_at() == job.due_at


def test_a_job_is_its_message() -> None:
    job = JOB.__replace__(tries=2, due_at=5)

    assert IntegrationJob.from_body(json.loads(json.dumps(job.to_body()))) == job


def test_a_connection_that_breaks_says_so_once_and_is_mended_by_a_request_that_works(
    connection: Connection,
    api: Client,
    github: CodeHost,
    acme: Installation,
    workers: Workers,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    counted: list[str] = []
    monkeypatch.setattr(metrics, "count", counted.append)
    account = GITHUB.open(connection)
    github.revoked.add(acme.id)
    for _ in range(2):
        with pytest.raises(Revoked) as problem:
            account.send(ServiceRequest(url=USER))
        service.mark_broken(connection, str(problem.value))
    [row] = [each for each in api.get("/v1/integrations").body["integrations"] if each["app"] == "codehost"]
    assert row["status"] == "broken"
    assert row["problem"] == (
        "GitHub no longer accepts this connection. Ask an admin to connect it again at /v1/connect/codehost."
    )

    monitoring = loops_written_out(ROOT / "template" / "monitoring.yaml")["Resources"]
    alarm = monitoring["BrokenConnectionsAlarm"]["Properties"]
    assert counted == [alarm["MetricName"]] == ["ConnectionsBroken"]

    github.revoked.clear()
    [broken] = service.connections(connection.organization, App.GITHUB)
    assert broken.status is ConnectionStatus.BROKEN
    for _ in range(2):
        GITHUB.open(broken).send(ServiceRequest(url=USER))
    kinds = [each["kind"] for each in api.get("/v1/logs").body["logs"]]
    assert [kind for kind in kinds if kind.startswith("integration_")] == [
        "integration_mended",
        "integration_broken",
    ]


def test_a_job_for_a_connection_that_was_removed_ends(connection: Connection) -> None:
    table.delete(ConnectionTokens.key_for(connection.organization, connection.id))

    def work() -> str:
        GITHUB.open(connection)
        return "done"

    assert run(JOB, work) == "not_connected"


def test_the_worker_reports_a_message_that_it_cannot_do(workers: Workers) -> None:
    clients.sqs().send_message(QueueUrl=settings().integration_queue_url, MessageBody='{"kind": 3')

    assert workers.work("integration") == 0
    assert received(settings().integration_queue_url) == []  # it waits


def test_a_service_that_is_busy_holds_up_no_other(workers: Workers) -> None:
    done: list[str] = []

    def follow() -> str:
        done.append("once")
        return "followed"

    job = IntegrationJob(kind=jobs.SIGNAL, organization="org_1", data={"signalId": "sig_1"})
    busy = {App.GITHUB: FakeAdapter(later(60)), App.LINEAR: FakeAdapter(follow)}

    assert worker.work(job, busy, clock.now_ms()) == "codehost: put_off, tracker: followed"
    again = IntegrationJob.from_body(queued())
    assert (again.app, again.tries, again.data) == (App.GITHUB, 1, job.data)
    at = clock.now_us() + 61_000_000
    with clock.frozen(lambda: at):
        free = {App.GITHUB: FakeAdapter(lambda: "done"), App.LINEAR: busy[App.LINEAR]}
        assert worker.work(again, free, clock.now_ms()) == "codehost: done"
    assert done == ["once"]


def test_a_service_whose_work_fails_keeps_a_signal_from_no_other(workers: Workers) -> None:
    done: list[str] = []

    def follow() -> str:
        done.append("once")
        return "followed"

    job = IntegrationJob(kind=jobs.SIGNAL, organization="org_1", data={"signalId": "sig_1"})
    adapters = {App.GITHUB: FakeAdapter(lambda: str(1 // 0)), App.LINEAR: FakeAdapter(follow)}

    assert worker.work(job, adapters, clock.now_ms()) == "codehost: alone, tracker: followed"
    alone = IntegrationJob.from_body(queued())
    assert (alone.app, alone.data) == (App.GITHUB, job.data)
    with pytest.raises(ZeroDivisionError):
        worker.work(alone, adapters, clock.now_ms())
    assert done == ["once"]


def test_each_night_every_connection_is_looked_at_and_what_was_missed_is_made_up_for(
    connection: Connection,
    connect_codehost: Callable[..., Connection],
    other_organization: Any,
    github: CodeHost,
    api: Client,
    workers: Workers,
) -> None:
    other = connect_codehost(github.install("other", "docs"), other_organization.organization_id)
    api.post("/v1/integrations/repos", {"repo": "acme/docs"})
    workers.run()
    service.mark_broken(connection, "It was suspended.")
    github.repositories["acme/docs"].push({"new.md": "# New"})  # and the hook is lost

    assert function("integration_worker").handler({"run": "connections"}, LongContext()) is None
    messages = received(settings().integration_queue_url)
    bodies = [json.loads(message["body"]) for message in messages]
    assert {(body["kind"], body["organization"]) for body in bodies} == {
        ("look", connection.organization),
        ("look", other.organization),
    }
    for body in bodies:
        assert (
            worker.work(IntegrationJob.from_body(body), {App.GITHUB: GitHubAdapter()}, clock.now_ms()) != ""
        )
    workers.run()
    [repo] = api.get("/v1/integrations/repos").body["repos"]
    assert repo["documents"] == 1
    assert api.get("/v1/integrations").body["integrations"][0]["status"] == "connected"


def test_a_signal_is_for_every_adapter() -> None:
    job = IntegrationJob(kind=jobs.SIGNAL, organization="org_1", data={"signalId": "sig_1"})

    assert worker.work(job, {App.GITHUB: GitHubAdapter()}, clock.now_ms()).startswith("codehost: ")
