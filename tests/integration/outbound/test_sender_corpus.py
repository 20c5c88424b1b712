"""The whole corpus of the address guard through the real sender. Nothing that is refused is ever connected to.

Two witnesses, neither of them the code under test: a listener on this machine that must stay silent, and an audit hook
of the interpreter (PEP 578), which sees every connection below all libraries, and stops those that would leave the
machine.
"""

import asyncio
import errno
import ipaddress
import re
import socket
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from helpdesk.outbound import addresses, connections
from helpdesk.outbound.errors import InvalidUrl
from helpdesk.outbound.lookups import Resolver
from helpdesk.outbound.outcome import Failure, Outcome
from tests.integration.outbound.hostile import OK
from tests.integration.outbound.receivers import Receiver, answers, receiver
from tests.integration.outbound.senders import Sender
from tests.support.rules import for_each
from tests.unit.outbound.corpus import ADDRESSES, URLS, Case

GUARDED = {Failure.REFUSED_ADDRESS, Failure.INVALID_URL}
# A URL without a port, as far as its authority: where the listener's port can be put in.
WITHOUT_PORT = re.compile(r"https?://(?:\[[^\]]*\]|[^/?#:\[\]@\\]+)(?=[/?#]|$)", re.IGNORECASE)


pytestmark = pytest.mark.usefixtures("kept")


@pytest.fixture(autouse=True)
def aws() -> None:
    """Nothing of AWS is needed here."""


@dataclass
class Network:
    """What was asked of the network while this was watching: addresses connected to, names looked up."""

    connected: list[str] = field(default_factory=list)
    looked_up: list[str] = field(default_factory=list)


_watching: list[Network] = []


def _witness(event: str, arguments: tuple[object, ...]) -> None:
    if not _watching or not event.startswith("socket."):
        return
    if event == "socket.connect":
        address = arguments[1]
        assert isinstance(address, tuple)
        connected = ipaddress.ip_address(address[0])
        _watching[-1].connected.append(str(connected))
        if not connected.is_loopback:
            raise ConnectionRefusedError(errno.ECONNREFUSED, "stopped on its way out")
    if event == "socket.getaddrinfo":
        _watching[-1].looked_up.append(str(arguments[0]))
        raise socket.gaierror(socket.EAI_AGAIN, "stopped on its way out")


sys.addaudithook(_witness)  # an audit hook cannot be removed; it is idle when no test watches


class UnseenSender(Sender):
    """A sender whose kept connections, if the test has them, lead to the listener, whatever the URL is."""

    def __init__(self, listener: Receiver, **how: Any) -> None:
        super().__init__(**how)
        self.listener = listener

    async def plant(self, url: str, seen: Receiver, endpoint: str) -> None:
        watched = _watching.copy()
        _watching.clear()
        await super().plant(url, seen, endpoint)
        _watching.extend(watched)


@contextmanager
def watching() -> Iterator[Network]:
    network = Network()
    _watching.append(network)
    try:
        yield network
    finally:
        _watching.remove(network)


def send(
    urls: Iterable[str], resolver: Resolver, *, allow_loopback: bool = False
) -> tuple[list[Outcome], Network, Receiver]:
    """Make an attempt at each URL as it is, and where it names no port, at the port of a listener of this machine."""

    async def batch() -> tuple[list[Outcome], Network, Receiver]:
        async with receiver(answers(OK)) as listener:
            variants = []
            for url in urls:
                variants.append(url)
                matched = WITHOUT_PORT.match(url)
                if matched:
                    variants.append(f"{matched[0]}:{listener.port}{url[matched.end() :]}")
            with watching() as network:
                async with UnseenSender(listener, allow_loopback=allow_loopback, resolver=resolver) as sender:
                    outcomes = [await sender.send(url, b"{}", {}, deadline_seconds=2) for url in variants]
            return outcomes, network, listener

    return asyncio.run(batch())


def _literal(case: Case) -> set[str]:
    host = re.split(r"[/?]", case.url.partition("://")[2])[0]
    bracketed = re.match(r"\[([^\]]*)\]", host)
    text = bracketed[1] if bracketed else host.partition(":")[0]
    try:
        return {str(ipaddress.ip_address(text))}
    except ValueError:
        return set()


@for_each("case", URLS, ids=str)
def test_a_url_of_the_corpus_is_judged_by_the_sender_as_at_registration(case: Case) -> None:
    outcomes, network, listener = send([case.url], case.resolve)

    if case.allowed:
        assert outcomes[0].error in {Failure.CONNECTION_FAILED, Failure.DNS_FAILED}
        assert set(network.connected) <= set(case.answers) | _literal(case)
        assert bool(network.connected) == bool(case.answers or _literal(case))
    else:
        assert {outcome.error for outcome in outcomes} <= GUARDED
        assert network.connected == []
    assert {outcome.status for outcome in outcomes} == {None}
    assert network.looked_up == []
    assert listener.connections == 0


@for_each("case", [c for c in URLS if not c.allowed], ids=str)
def test_where_loopback_is_allowed_the_sender_still_connects_to_no_refused_address(case: Case) -> None:
    outcomes, network, listener = send([case.url], case.resolve, allow_loopback=True)

    if case.allowed_locally:
        assert not GUARDED & {outcome.error for outcome in outcomes}
        assert all(ipaddress.ip_address(address).is_loopback for address in network.connected)
    else:
        assert {outcome.error for outcome in outcomes} <= GUARDED
        assert network.connected == []
        assert listener.connections == 0


def test_an_address_of_the_corpus_is_connected_to_only_when_it_is_allowed() -> None:
    for case in ADDRESSES:
        host = f"[{case.address}]" if ":" in case.address else case.address
        urls = [f"https://{host}/", "https://hook.example.com/"]

        outcomes, network, listener = send(urls, lambda _, found=case.address: [found])  # type: ignore[misc]

        if case.allowed:
            assert set(network.connected) == {case.address}, case
        else:
            assert {outcome.error for outcome in outcomes} == {Failure.REFUSED_ADDRESS}, case
            assert network.connected == [], case
        assert listener.connections == 0


@pytest.mark.parametrize(
    "later",
    [
        ["127.0.0.1"],
        ["93.184.216.34", "127.0.0.1"],
        ["127.0.0.1", "93.184.216.34"],
        ["::1"],
        ["::ffff:127.0.0.1"],
    ],
    ids=" ".join,
)
def test_no_name_that_passed_at_registration_leads_to_this_machine_afterwards(later: list[str]) -> None:
    names = [case for case in URLS if case.allowed and not _literal(case)]
    assert len(names) > 50

    for case in names:
        addresses.require_public(case.url, resolver=case.resolve)
    outcomes, network, listener = send([case.url for case in names], lambda _: later)

    assert {outcome.error for outcome in outcomes} <= GUARDED
    assert network.connected == []
    assert listener.connections == 0


def test_a_name_that_changes_between_two_lookups_of_one_attempt_is_looked_up_once() -> None:
    asked = []

    def rebinding(host: str) -> list[str]:
        asked.append(host)
        return ["93.184.216.34"] if len(asked) % 2 else ["127.0.0.1"]

    outcomes, network, listener = send(["https://hook.example.com:8443/"], rebinding)

    assert outcomes[0].error is Failure.CONNECTION_FAILED
    assert asked == ["hook.example.com"]
    assert set(network.connected) == {"93.184.216.34"}
    assert listener.connections == 0


def test_the_witnesses_notice_a_connection(monkeypatch: pytest.MonkeyPatch, kept: bool) -> None:
    """With the guard taken away, the same attempt is seen by both."""
    monkeypatch.setattr(addresses, "refusal", lambda _: None)
    monkeypatch.setattr(connections, "refusal", lambda _: None)

    outcomes, network, listener = send(["https://hook.example.com/"], lambda _: ["127.0.0.1"])

    assert outcomes[1].error not in GUARDED
    assert network.connected == ([] if kept else ["127.0.0.1", "127.0.0.1"])
    assert listener.connections == (2 if kept else 1)


def test_registration_looks_nothing_up_by_itself_when_it_is_given_a_resolver() -> None:
    with watching() as network:
        for case in URLS:
            if case.allowed:
                addresses.require_public(case.url, resolver=case.resolve)
            else:
                with pytest.raises(InvalidUrl):
                    addresses.require_public(case.url, resolver=case.resolve)

    assert (network.connected, network.looked_up) == ([], [])
