"""Credentials of an app that the operator changes while services sign with them and workers use them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from helpdesk.events.integration_jobs import App
from helpdesk.integrations import credentials
from helpdesk.integrations.errors import Revoked
from helpdesk.integrations.github.app_identity import GITHUB
from helpdesk.integrations.record import Connection
from helpdesk.platform import clock
from scripts import admin
from scripts.services import codehost as fake
from scripts.services.codehost import CodeHost
from scripts.services.repositories import Installation
from scripts.services.server import Said, Services
from tests.support.api import Client
from tests.support.aws import recorded_calls

DAY = 86_400


@contextmanager
def later(seconds: float) -> Iterator[None]:
    """Let the block happen later."""
    at = clock.now_us() + round(seconds * 1_000_000)
    with clock.frozen(lambda: at):
        yield


def status(github: CodeHost, secret: str) -> int:
    """Return what a request of GitHub is answered that is signed with a secret."""
    headers, body = github.hook("star", {"action": "created", "installation": {"id": 1}}, secret=secret)
    return Client(headers=headers).request("POST", "/v1/hooks/codehost", body).status


@pytest.fixture
def services(github: CodeHost) -> Iterator[Services]:
    """The services. What is sent here is not what GitHub sends."""
    with Services(github) as running:
        yield running


@pytest.fixture
def change() -> Callable[..., None]:
    """Enter another secret on another machine: this environment keeps what it read."""

    def run(secret: str, *, at_once: bool = False) -> None:
        kept = dict(credentials._kept)
        credentials.store(App.GITHUB, {**fake.credentials(), "hook_secret": secret}, at_once=at_once)
        credentials._kept.update(kept)

    return run


def test_requests_signed_with_either_secret_are_taken_for_a_day(
    github: CodeHost, change: Callable[..., None]
) -> None:
    assert status(github, fake.HOOK_SECRET) == 200
    change("second")

    with later(11):
        assert (status(github, fake.HOOK_SECRET), status(github, "second")) == (200, 200)
        assert status(github, "third") == 401
    with later(DAY - 1):
        assert (status(github, fake.HOOK_SECRET), status(github, "second")) == (200, 200)
    with later(DAY + 1):
        assert (status(github, fake.HOOK_SECRET), status(github, "second")) == (401, 200)


def test_the_same_secret_again_leaves_the_former_one_and_another_one_takes_its_place(
    github: CodeHost, change: Callable[..., None]
) -> None:
    for secret in ("second", "second", "third"):
        change(secret)

    with later(11):
        taken = [status(github, secret) for secret in (fake.HOOK_SECRET, "second", "third")]
    assert taken == [401, 200, 200]


def test_a_secret_that_leaked_is_refused_at_once(github: CodeHost, change: Callable[..., None]) -> None:
    change("second")
    change("third", at_once=True)

    credentials.forget()
    taken = [status(github, secret) for secret in (fake.HOOK_SECRET, "second", "third")]
    assert taken == [401, 401, 200]


def test_forged_requests_cost_one_read_in_ten_seconds(github: CodeHost) -> None:
    status(github, fake.HOOK_SECRET)
    with recorded_calls() as calls:
        for seconds in (1, 2, 11, 12, 20):
            with later(seconds):
                assert status(github, "forged") == 401
    assert calls == ["dynamodb:GetItem"]


def test_the_command_says_whether_the_former_secret_counts(
    monkeypatch: pytest.MonkeyPatch, github: CodeHost
) -> None:
    monkeypatch.setattr(admin, "use_stack", lambda *_, **__: None)
    given = ["client_id=x", "client_secret=y"]
    for options in ([], ["--at-once"]):
        for secret in ("first", "second"):
            assert admin.main(["set-app", "tracker", *given, f"hook_secret={secret}", *options]) == 0
        stored = credentials.of(App.LINEAR)
        assert stored is not None
        assert (stored.before(clock.now_ms()) is None) == bool(options)


def test_a_renewal_uses_credentials_that_were_entered_since_they_were_read(
    connect_codehost: Callable[..., Connection],
    github: CodeHost,
    services: Services,
    change: Callable[..., None],
) -> None:
    connection = connect_codehost(github.install("acme", "docs"))
    credentials.of(App.GITHUB)
    change("second")
    services.fail(path="access_tokens", said=Said(401))

    with later(11):
        assert GITHUB.open(connection).credentials["hook_secret"] == "second"


def test_a_renewal_that_refuses_the_app_names_what_the_operator_does(
    connect_codehost: Callable[..., Connection], acme: Installation, services: Services
) -> None:
    connection = connect_codehost(acme)
    services.fail(path="access_tokens", said=Said(401))

    with pytest.raises(
        Revoked, match=r"Ask the operator to enter them again: scripts\.admin set-app codehost"
    ):
        GITHUB.open(connection)
