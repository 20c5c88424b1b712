"""The sender and names: nothing is connected to that the guard has not passed. A silent socket is the witness."""

import asyncio
import threading
from collections.abc import Sequence

import pytest

from helpdesk.outbound import addresses, connections, ranges
from helpdesk.outbound.connections import GuardedConnector
from helpdesk.outbound.errors import InvalidUrl
from helpdesk.outbound.outcome import Failure, Outcome
from tests.integration.outbound.receivers import Authority, Receiver, answers, receiver
from tests.integration.outbound.senders import Sender

OK = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"


pytestmark = pytest.mark.usefixtures("kept")


@pytest.fixture(autouse=True)
def aws() -> None:
    """Nothing of AWS is needed here."""


class Names:
    """A resolver that answers a name's lists of addresses one after another, the last for ever."""

    def __init__(self, *answers: Sequence[str]) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    def __call__(self, host: str) -> Sequence[str]:
        self.asked.append(host)
        answer = self.answers[0]
        if len(self.answers) > 1:
            self.answers.pop(0)
        if not answer:
            raise OSError("no such name")
        return answer


def attempt(
    names: Names, *, allow_loopback: bool = False, scheme: str = "https", host: str = "hook.example.com"
) -> tuple[Outcome, Receiver]:
    """Make one attempt at a URL whose port is that of a listening receiver on this machine."""

    async def run() -> tuple[Outcome, Receiver]:
        async with (
            Sender(allow_loopback=allow_loopback, resolver=names) as sender,
            receiver(answers(OK)) as silent,
        ):
            return await sender.send(silent.url(host, scheme), b"{}", {}, deadline_seconds=2), silent

    return asyncio.run(run())


@pytest.mark.parametrize(
    "found",
    [
        ["127.0.0.1"],
        ["127.0.0.2"],
        ["0.0.0.0"],
        ["::1"],
        ["::ffff:127.0.0.1"],
        ["8.8.8.8", "127.0.0.1"],
        ["127.0.0.1", "8.8.8.8"],
        ["10.0.0.1"],
        ["169.254.169.254"],
        ["fd00:ec2::254"],
        ["8.8.8.8%1"],
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("allow_loopback", [False, True])
def test_a_name_that_leads_to_a_refused_address_is_not_connected_to(
    found: list[str], allow_loopback: bool
) -> None:
    outcome, silent = attempt(Names(found), allow_loopback=allow_loopback)

    assert (outcome.status, outcome.error) == (None, Failure.REFUSED_ADDRESS)
    assert silent.connections == 0


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0"])
def test_an_address_in_the_url_is_not_connected_to_either(host: str) -> None:
    outcome, silent = attempt(Names(["8.8.8.8"]), host=host)

    assert (outcome.status, outcome.error) == (None, Failure.REFUSED_ADDRESS)
    assert silent.connections == 0


@pytest.mark.parametrize("host", ["2130706433", "0x7f.1", "127.1", "user@127.0.0.1"])
def test_a_disguised_address_in_the_url_is_not_connected_to_either(host: str) -> None:
    outcome, silent = attempt(Names(["8.8.8.8"]), host=host)

    assert (outcome.status, outcome.error) == (None, Failure.INVALID_URL)
    assert silent.connections == 0


def test_a_name_that_was_public_at_registration_and_is_not_now_is_refused() -> None:
    names = Names(["93.184.216.34"], ["127.0.0.1"])
    addresses.require_public("https://hook.example.com/", resolver=names)

    outcome, silent = attempt(names)

    assert (outcome.status, outcome.error) == (None, Failure.REFUSED_ADDRESS)
    assert silent.connections == 0


def test_http_is_refused_even_when_registered_under_older_rules() -> None:
    outcome, silent = attempt(Names(["8.8.8.8"]), scheme="http")

    assert (outcome.status, outcome.error) == (None, Failure.INVALID_URL)
    assert silent.connections == 0


def test_a_name_that_does_not_resolve_is_a_failure() -> None:
    outcome, _ = attempt(Names([]))

    assert (outcome.status, outcome.error) == (None, Failure.DNS_FAILED)


def test_a_resolver_that_hangs_meets_the_deadline_and_holds_up_nobody() -> None:
    released = threading.Event()

    def resolver(host: str) -> list[str]:
        if host.startswith("slow"):
            released.wait()
        raise OSError("no such name")

    async def run() -> tuple[list[Outcome], Outcome]:
        async with Sender(resolver=resolver) as sender:
            slow = [
                asyncio.create_task(
                    sender.send(f"https://slow{n}.example.com/", b"{}", {}, deadline_seconds=0.5)
                )
                for n in range(40)
            ]
            await asyncio.sleep(0.05)
            quick = await sender.send("https://quick.example.com/", b"{}", {})
            return await asyncio.gather(*slow), quick

    slow, quick = asyncio.run(run())
    released.set()

    assert {outcome.error for outcome in slow} == {Failure.TIMEOUT}
    assert quick.error is Failure.DNS_FAILED
    assert quick.duration_ms < 300


def test_the_address_checked_is_the_address_connected_to(
    monkeypatch: pytest.MonkeyPatch, authority: Authority
) -> None:
    """The resolver answers a public address, then this machine. For once 127.0.0.2 plays the public address."""
    real = ranges.refusal

    def refusal(address: ranges.Address) -> ranges.RefusedRange | None:
        return None if str(address) == "127.0.0.2" else real(address)

    monkeypatch.setattr(addresses, "refusal", refusal)
    monkeypatch.setattr(connections, "refusal", refusal)
    names = Names(["127.0.0.2"], ["127.0.0.1"])
    tls = authority.serving("hook.example.com")

    async def run() -> tuple[Outcome, Receiver, Receiver]:
        async with (
            Sender(resolver=names, tls=authority.trusting()) as sender,
            receiver(answers(OK), host="127.0.0.2", tls=tls) as public,
            receiver(answers(OK), host="127.0.0.1", port=public.port) as private,
        ):
            outcome = await sender.send(public.url("hook.example.com", "https"), b"{}", {})
            return outcome, public, private

    outcome, public, private = asyncio.run(run())

    assert (outcome.status, outcome.error) == (200, None)
    assert names.asked == ["hook.example.com"]
    assert public.addresses == ["127.0.0.2"]
    assert public.server_names == ["hook.example.com"]
    assert b"host: hook.example.com:%d\r\n" % public.port in public.requests[0].lower()
    assert private.connections == 0


def test_a_bypassed_resolver_is_caught_by_the_final_check_of_the_socket(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(addresses, "refusal", lambda _: None)

    outcome, silent = attempt(Names(["127.0.0.1"]))

    assert (outcome.status, outcome.error) == (None, Failure.REFUSED_ADDRESS)
    assert silent.connections == 0


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "LOCALHOST"])
def test_where_loopback_is_allowed_this_machine_is_reached_over_http(host: str) -> None:
    names = Names(["8.8.8.8"])

    outcome, seen = attempt(names, allow_loopback=True, scheme="http", host=host)

    assert (outcome.status, outcome.error) == (200, None)
    assert seen.connections == 1
    assert names.asked == []


def test_a_name_with_a_thousand_addresses_is_checked_whole_and_tried_in_part(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tried: list[str] = []

    def refuse_to_connect(_: GuardedConnector, info: tuple[object, ...]) -> None:
        tried.extend(address for address in found if f"'{address}'" in str(info))
        raise ConnectionRefusedError(111, "refused")

    monkeypatch.setattr(GuardedConnector, "_open_socket", refuse_to_connect)
    found = [f"93.184.{n // 250}.{n % 250 + 1}" for n in range(1000)]

    outcome, _ = attempt(Names(found))
    assert outcome.error is Failure.CONNECTION_FAILED
    assert len(set(tried)) == 8

    outcome, _ = attempt(Names([*found, "10.0.0.1"]))
    assert outcome.error is Failure.REFUSED_ADDRESS


def test_registration_and_connection_refuse_alike() -> None:
    names = Names(["8.8.8.8", "10.0.0.1"])

    with pytest.raises(InvalidUrl):
        addresses.require_public("https://hook.example.com/", resolver=names)
    assert attempt(names)[0].error is Failure.REFUSED_ADDRESS
