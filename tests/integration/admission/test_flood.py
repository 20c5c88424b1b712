"""A flood of wrong keys that name one organization: its own requests are neither held up nor more than its plan allows.

The organization's item is a stub with DynamoDB's limits for one item: 1,000 writes and 3,000 reads a second. Each call
takes 5 ms. Twenty execution environments share the requests.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from io import BytesIO
from typing import Any

import pytest
from botocore.awsrequest import AWSResponse, HTTPHeaders

from helpdesk.accounts.organizations.record import Organization
from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.api.admission import allowance, repository, service
from helpdesk.api.admission.caller import Access
from helpdesk.api.admission.limits import RequestClass, Tier
from helpdesk.api.admission.memory import LIMIT, Memory
from helpdesk.api.admission.record import Allowance, LiveKey
from helpdesk.api.logs import service as logs
from helpdesk.platform import clients, clock, ids
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.errors import InvalidApiKey, RateLimited
from helpdesk.storage import table
from helpdesk.storage.stored import Key
from helpdesk.storage.table import ConditionFailed, Throttled
from tests.support.api import Client
from tests.support.aws import recorded_calls

START = 1_800_000_000_000_000
ENVIRONMENTS = 20
SECONDS = 5
JUNK_PER_SECOND = 2_000
OWN_PER_SECOND = 100
# The write class of the tier Standard: 1,200 a minute, 300 at once (Specification: Limits).
INTERVAL, BURST = 50_000, 300
ORGANIZATION = ids.ulid()
KEY = f"svc_key_{ORGANIZATION}_{ids.secret()}"


@dataclass
class Item:
    """The allowance as DynamoDB holds it, and what the present request has waited for it."""

    writes_per_second: int = 1_000
    reads_per_second: int = 3_000
    next_at: int = 0
    full_at: int = 0
    waited_ms: int = 0
    writes: int = 0
    throttled: int = 0
    _used: dict[tuple[str, int], int] = field(default_factory=dict)

    def charge_allowance(
        self, _key: Key, now_us: int, key_hash: str | None, *, filling: bool, shape: object
    ) -> Allowance:
        self.writes += 1
        self._pay("write", self.writes_per_second, now_us)
        fits = (
            self.next_at <= now_us and self.full_at > now_us if filling else self.full_at <= now_us
        ) and key_hash == sha256_hex(KEY)
        if not fits:
            raise ConditionFailed(self._allowance().to_item())
        if filling:
            self.next_at, self.full_at = self.next_at + INTERVAL, self.full_at + INTERVAL
        else:
            self.next_at, self.full_at = now_us - (BURST - 2) * INTERVAL, now_us + INTERVAL
        return self._allowance()

    def get_allowance(self, _organization: str, _request_class: RequestClass) -> Allowance:
        self._pay("read", self.reads_per_second, clock.now_us())
        return self._allowance()

    def _allowance(self) -> Allowance:
        return Allowance(
            self.next_at,
            self.full_at,
            INTERVAL,
            organization=f"org_{ORGANIZATION}",
            request_class="write",
            tier=Tier.STANDARD,
            per_minute=1_200,
            burst=BURST,
            slack=(BURST - 2) * INTERVAL,
            keys={sha256_hex(KEY): LiveKey("key_1", "Shop")},
            cursor_key=b"",
        )

    def _pay(self, what: str, per_second: int, now_us: int) -> None:
        self.waited_ms += 5
        second = (what, now_us // 1_000_000)
        self._used[second] = self._used.get(second, 0) + 1
        if self._used[second] > per_second:
            self.throttled += 1
            raise Throttled


@contextmanager
def _throttled_updates() -> Iterator[list[str]]:
    """Answer every update as DynamoDB does for a hot item; collect the tries."""
    sent: list[str] = []
    body = b'{"__type": "com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException"}'

    def answer(request: Any, **_: Any) -> AWSResponse:
        sent.append(request.headers["X-Amz-Target"].decode().partition(".")[2])
        headers = HTTPHeaders.from_dict({"content-type": "application/x-amz-json-1.0"})
        return AWSResponse(request.url, 400, headers, Raw(body))

    events: Any = clients.dynamodb().meta.events  # typed for handlers that return nothing
    events.register_first("before-send.dynamodb.UpdateItem", answer)
    try:
        yield sent
    finally:
        events.unregister("before-send.dynamodb.UpdateItem", answer)


class Raw(BytesIO):
    """A response's body as botocore reads it."""

    def stream(self, **_: Any) -> Iterator[bytes]:
        """Return the whole body."""
        yield self.read()


@pytest.fixture
def _no_log(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "record_limit_reached", lambda *_: None)


@dataclass
class Flood:
    """What became of the organization's own requests."""

    admitted: int = 0
    refused: int = 0
    longest_ms: int = 0


@pytest.fixture
def flood(monkeypatch: pytest.MonkeyPatch, _no_log: None) -> Callable[[Item], Flood]:
    """Send the organization's own requests, five times its rate, between the wrong keys, each of them another."""
    memories = [Memory() for _ in range(ENVIRONMENTS)]

    def send(item: Item) -> Flood:
        monkeypatch.setattr(repository, "charge_allowance", item.charge_allowance)
        monkeypatch.setattr(repository, "get_allowance", item.get_allowance)
        seen = Flood()
        per_second = JUNK_PER_SECOND + OWN_PER_SECOND
        for number in range(per_second * SECONDS):
            monkeypatch.setattr(allowance, "_memory", memories[number * 7 % ENVIRONMENTS])
            now = START + number * 1_000_000 // per_second
            item.waited_ms = 0
            with clock.frozen(partial(int, now)):
                if number % (per_second // OWN_PER_SECOND) == 0:
                    try:
                        _admit(KEY)
                        seen.admitted += 1
                    except RateLimited:
                        seen.refused += 1
                    seen.longest_ms = max(seen.longest_ms, item.waited_ms)
                else:
                    with pytest.raises(InvalidApiKey):
                        _admit(f"svc_key_{ORGANIZATION}_{ids.secret()}")
        return seen

    return send


def _admit(key: str) -> None:
    service.admit({"authorization": f"Bearer {key}"}, Access.MEMBER, RequestClass.WRITE)


def test_2000_wrong_keys_a_second_neither_hold_up_an_organization_nor_lift_its_limit(
    flood: Callable[[Item], Flood],
) -> None:
    item = Item()

    seen = flood(item)

    assert seen.longest_ms <= 50
    # The burst, and what 5 s earn.
    assert BURST + SECONDS * 20 - 1 <= seen.admitted <= BURST + SECONDS * 20 + 1
    assert seen.admitted + seen.refused == SECONDS * OWN_PER_SECOND
    # Each environment writes for the first wrong key alone.
    assert item.throttled == 0
    assert item.writes <= 3 * seen.admitted + seen.refused + ENVIRONMENTS


def test_while_no_write_succeeds_the_environments_share_the_limit(flood: Callable[[Item], Flood]) -> None:
    seen = flood(Item(writes_per_second=0))

    assert seen.longest_ms <= 50
    assert BURST <= seen.admitted <= BURST + SECONDS * 20


@pytest.mark.usefixtures("_no_log")
def test_while_neither_writes_nor_reads_succeed_nothing_unknown_is_admitted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    item = Item(writes_per_second=0, reads_per_second=0)
    monkeypatch.setattr(repository, "charge_allowance", item.charge_allowance)
    monkeypatch.setattr(repository, "get_allowance", item.get_allowance)

    with pytest.raises(RateLimited) as refused:
        _admit(KEY)

    assert refused.value.headers["retry-after"] == "1"


def test_a_throttled_allowance_admits_a_request_at_the_instant_of_its_next_token(
    organization: NewOrganization,
) -> None:
    of, key_hash = organization.organization_id, sha256_hex(organization.secret_key)
    filling = {":next": START, ":full": START + 1_000_000}
    table.update(Allowance.key_for(of, "read"), "SET nextAt = :next, fullAt = :full", values=filling)

    with clock.frozen(lambda: START - 1), pytest.raises(allowance.BucketEmpty):
        allowance.charge_throttled(of, RequestClass.READ, key_hash)
    with clock.frozen(lambda: START):
        assert allowance.charge_throttled(of, RequestClass.READ, key_hash).allowance.next_at == START


def test_a_key_that_failed_fails_again_without_a_call(organization: NewOrganization) -> None:
    wrong = Client(organization.secret_key[:-43] + ids.secret())
    now = clock.now_us()
    calls: list[int] = []

    for seconds in (0, 1, 9, 11):
        with clock.frozen(lambda: now + seconds * 1_000_000), recorded_calls() as counted:  # noqa: B023 - used here
            assert wrong.get("/v1/billing/limits").code == "invalid_api_key"
        calls.append(len(counted))

    assert calls == [1, 0, 0, 1]


def test_a_new_key_works_at_once_while_wrong_keys_arrive(
    organization: NewOrganization, admin: Client
) -> None:
    wrong = Client(organization.secret_key[:-43] + ids.secret())
    assert wrong.get("/v1/billing/limits").code == "invalid_api_key"

    made = Client(admin.post("/v1/keys", {"name": "New"}).body["key"])

    assert made.get("/v1/billing/limits").status == 200
    assert Client(organization.secret_key).get("/v1/billing/limits").status == 200


def test_failed_keys_are_remembered_up_to_a_bound() -> None:
    memory = Memory()
    for number in range(LIMIT + 5):
        memory.reject("org_1", f"hash {number}", START)

    assert not memory.is_rejected("hash 4", START)
    assert memory.is_rejected("hash 5", START)
    assert memory.is_rejected(f"hash {LIMIT + 4}", START)


@pytest.mark.moto
def test_a_throttled_charge_is_tried_once(
    organization: NewOrganization, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr("botocore.endpoint.time.sleep", pauses.append)
    api = Client(organization.secret_key)
    assert api.get("/v1/billing/limits").status == 200

    with _throttled_updates() as sent:
        assert api.get("/v1/billing/limits").status == 200

    assert sent == ["UpdateItem"]
    assert pauses == []


@pytest.mark.moto
def test_a_throttled_write_elsewhere_is_tried_again(
    organization: NewOrganization, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr("botocore.endpoint.time.sleep", pauses.append)

    with _throttled_updates() as sent, pytest.raises(Throttled):
        table.update(Organization.key_for(organization.organization_id), "REMOVE nothing")

    assert sent == ["UpdateItem"] * 4
    assert len(pauses) == 3
