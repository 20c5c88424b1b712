"""Keys made and revoked, and endpoints added and removed, at the same moment (tests/support/interleaving.py).

Whatever the order of calls, there are never more than ten live keys, the three allowances and the records agree on
which they are, and every endpoint is signed: with a key that lives, or with a random secret of its own.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.accounts.secret_keys import service as secret_keys
from helpdesk.accounts.secret_keys.schemas import NewKey
from helpdesk.api.admission.caller import Caller, Person, Role
from helpdesk.platform.errors import AppError
from helpdesk.webhooks import service as webhooks
from helpdesk.webhooks.schemas import NewWebhook
from tests.support import table as whole_table
from tests.support.interleaving import interleaved

SEEDS = 12  # each outcome of a race has to occur
NEW_KEY = NewKey(name="Shop server")
NEW_ENDPOINT = NewWebhook.model_validate({"url": "https://93.184.215.14/hook", "events": ["message.created"]})


type Begin = Callable[[], Caller]


@pytest.fixture
def begin(make_organization: Callable[..., NewOrganization]) -> Begin:
    """Give an admin of a new organization, alone in the table: a transaction of moto copies all of it."""

    def fresh() -> Caller:
        whole_table.clear()
        return Caller(make_organization().organization_id, person=Person("usr_1", "Ada", Role.ADMIN))

    return fresh


def with_key(ada: Caller, key_id: str) -> Caller:
    return Caller(ada.organization, key_id=key_id)


def attempt(work: Callable[..., Any], *arguments: Any) -> Callable[[], str]:
    """Return work that answers `ok` or the code with which it was refused."""

    def run() -> str:
        try:
            work(*arguments)
        except AppError as error:
            return error.code
        return "ok"

    return run


def revoke(ada: Caller, key_id: str) -> None:
    secret_keys.revoke(ada, key_id, webhooks.replace_secrets)


def make(ada: Caller) -> str:
    return secret_keys.create(ada, NEW_KEY).id


def require_consistent() -> None:
    """Fail where what is stored of keys and endpoints does not fit together."""
    records = {item["id"]: item for item in whole_table.of_kind("KEY#") if "name" in item}
    secrets = {item["SK"] for item in whole_table.everything() if item["PK"].endswith("#SECRET")}
    living = {key_id for key_id, item in records.items() if item.get("revokedAt") is None}
    for allowance in whole_table.of_kind("ALLOWANCE"):
        assert sorted(entry["id"] for entry in allowance["keys"].values()) == sorted(living)
    assert len(living) <= 10
    assert {name for name in secrets if name.startswith("KEY#")} == {f"KEY#{key_id}" for key_id in living}
    endpoints = [item for item in whole_table.of_kind("ENDPOINT#") if "url" in item]
    assert {item.get("keyId") for item in endpoints} - {None} <= living
    assert {name for name in secrets if name.startswith("ENDPOINT#")} == {
        item["SK"] for item in endpoints if item.get("keyId") is None
    }
    (count,) = [item["endpoints"] for item in whole_table.of_kind("COUNT")] or [0]
    assert count == len(endpoints)


def entries(kind: str) -> int:
    return sum(item["kind"] == kind for item in whole_table.of_kind("LOG#"))


def test_fifty_callers_at_once_never_make_an_eleventh_key(begin: Begin) -> None:
    ada = begin()

    outcomes = interleaved([attempt(make, ada)] * 50, seed=1).all()

    assert (outcomes.count("ok"), outcomes.count("too_many_keys")) == (9, 41)
    assert len([item for item in whole_table.of_kind("KEY#") if "name" in item]) == 10
    assert entries("key_created") == 9
    require_consistent()


def test_a_key_made_while_the_tenth_is_revoked_takes_its_place_or_is_refused(begin: Begin) -> None:
    seen = set()
    for seed in range(SEEDS):
        ada = begin()
        tenth = [make(ada) for _ in range(9)][-1]

        outcomes = interleaved([attempt(make, ada), attempt(revoke, ada, tenth)], seed)

        created, revoked = outcomes.all()
        assert revoked == "ok"
        assert created == ("ok" if outcomes.commits == [1, 0] else "too_many_keys")
        require_consistent()
        seen.add(created)

    assert seen == {"ok", "too_many_keys"}


def test_a_key_revoked_by_several_at_once_is_revoked_once(begin: Begin) -> None:
    for seed in range(SEEDS):
        ada = begin()
        key_id = make(ada)
        webhooks.create(with_key(ada, key_id), NEW_ENDPOINT)

        outcomes = interleaved([attempt(revoke, ada, key_id)] * 3, seed)

        assert outcomes.all() == ["ok", "ok", "ok"]
        assert len(outcomes.commits) == 1
        assert entries("key_revoked") == 1
        require_consistent()


@pytest.mark.parametrize("there_before", [0, 2])
def test_an_endpoint_added_with_a_key_that_is_being_revoked_is_refused_or_gets_its_own_secret(
    begin: Begin, there_before: int
) -> None:
    seen = set()
    for seed in range(SEEDS):
        ada = begin()
        key_id = make(ada)
        for _ in range(there_before):
            webhooks.create(with_key(ada, key_id), NEW_ENDPOINT)

        outcomes = interleaved(
            [
                attempt(webhooks.create, with_key(ada, key_id), NEW_ENDPOINT),
                attempt(revoke, ada, key_id),
            ],
            seed,
        )

        added, revoked = outcomes.all()
        assert revoked == "ok"
        assert added == ("ok" if outcomes.commits == [0, 1] else "missing_service_key"), seed
        require_consistent()
        endpoints = webhooks.listed(ada.organization).webhooks
        assert [endpoint.key_id for endpoint in endpoints] == [None] * (there_before + (added == "ok"))
        seen.add(added)

    assert seen == {"ok", "missing_service_key"}


def test_an_endpoint_that_a_person_adds_while_the_newest_key_is_revoked_is_signed_with_the_next(
    begin: Begin,
) -> None:
    seen = set()
    for seed in range(SEEDS):
        ada = begin()
        (first,) = [key.id for key in secret_keys.listed(ada.organization, 50, None)[0]]
        newest = make(ada)

        outcomes = interleaved(
            [attempt(webhooks.create, ada, NEW_ENDPOINT), attempt(revoke, ada, newest)], seed
        )

        assert outcomes.all() == ["ok", "ok"], seed
        require_consistent()
        (endpoint,) = webhooks.listed(ada.organization).webhooks
        assert endpoint.key_id == (None if outcomes.commits == [0, 1] else first)
        seen.add(outcomes.commits[0])

    assert seen == {0, 1}


def test_endpoints_coming_and_going_while_their_keys_are_revoked_leave_nothing_unsigned(begin: Begin) -> None:
    for seed in range(SEEDS):
        ada = begin()
        one, other = make(ada), make(ada)
        of_one = webhooks.create(with_key(ada, one), NEW_ENDPOINT)
        of_other = webhooks.create(with_key(ada, other), NEW_ENDPOINT)
        pieces = [
            attempt(revoke, ada, one),
            attempt(revoke, ada, other),
            attempt(webhooks.remove, ada, of_one),
            attempt(webhooks.remove, ada, of_other),
            attempt(webhooks.create, with_key(ada, one), NEW_ENDPOINT),
            attempt(webhooks.create, ada, NEW_ENDPOINT),
        ]

        outcomes = interleaved(pieces, seed).all()

        assert outcomes[:4] == ["ok"] * 4, seed
        assert outcomes[4] in {"ok", "missing_service_key"}
        assert outcomes[5] == "ok"
        require_consistent()


def test_one_key_imported_by_two_operators_at_once_is_imported_once(begin: Begin) -> None:
    ada = begin()
    importing = partial(secret_keys.import_legacy, ada.organization, "Old shop")
    for seed in range(5):
        outcomes = interleaved([attempt(importing, f"{seed:064x}")] * 2, seed).all()

        assert sorted(outcomes) == ["key_exists", "ok"]
    assert [len(item["keys"]) for item in whole_table.of_kind("ALLOWANCE")] == [6, 6, 6]
