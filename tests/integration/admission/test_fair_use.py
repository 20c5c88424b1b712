"""Organizations on the unlimited tier: the fair-use limit, and unusual traffic."""

from collections.abc import Callable
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.api.admission import limits
from helpdesk.api.admission.limits import Rate
from helpdesk.platform import clients, clock
from helpdesk.platform.settings import settings
from tests.support.api import Answer
from tests.support.aws import recorded_calls
from tests.support.small_api import START, Throttling, call

FAIR_USE = "Temporary capacity protection. Wait for the seconds in Retry-After and try again."


@pytest.fixture
def unlimited(
    make_organization: Callable[..., NewOrganization], monkeypatch: pytest.MonkeyPatch
) -> NewOrganization:
    """An organization on the unlimited tier, whose fair-use threshold is one request per minute."""
    monkeypatch.setattr(limits, "FAIR_USE", Rate(1, 1))
    return make_organization(unlimited_api=True)


def refuse(organization: NewOrganization, minute: int, path: str = "/v1/member") -> Answer:
    """Send two requests at the start of a minute since START, and return the refusal of the second."""
    with clock.frozen(lambda: START + minute * 60_000_000):
        answers = [call("GET", path, f"Bearer {organization.secret_key}") for _ in range(3)]
    assert answers[-1].body["error"]["reason"] == "fair_use"
    return answers[-1]


def test_refusals_in_ten_of_sixty_minutes_name_unusual_traffic(unlimited: NewOrganization) -> None:
    # Not in a row, and in both halves of the hour.
    messages = [refuse(unlimited, minute).message for minute in (0, 1, 3, 7, 20, 21, 22, 40, 58, 59)]

    assert messages[:9] == [FAIR_USE] * 9
    assert messages[9].startswith("Unusual automated traffic detected")
    assert "contact support" in messages[9]


def test_minutes_before_the_last_sixty_do_not_count(unlimited: NewOrganization) -> None:
    for minute in range(9):
        refuse(unlimited, minute)

    assert refuse(unlimited, 60).message == FAIR_USE  # the first minute has left the hour
    assert refuse(unlimited, 60).message == FAIR_USE  # one minute counts once
    assert refuse(unlimited, 61).message == FAIR_USE


def test_the_number_of_minutes_is_a_setting(
    unlimited: NewOrganization, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAIR_USE_NOTICE_MINUTES", "2")
    settings.cache_clear()

    messages = [refuse(unlimited, minute).message[:7] for minute in range(2)]

    assert messages == ["Tempora", "Unusual"]


def test_refusals_of_one_minute_cost_one_write_of_the_minute(unlimited: NewOrganization) -> None:
    refuse(unlimited, 0)
    with clock.frozen(lambda: START), recorded_calls() as calls:
        call("GET", "/v1/member", f"Bearer {unlimited.secret_key}")

    # The charge, and the entry of the log.
    assert calls == ["dynamodb:UpdateItem"] * 2


def test_a_minute_that_cannot_be_noted_leaves_the_first_message(
    unlimited: NewOrganization, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = clients.dynamodb().update_item

    def hot(**request: Any) -> Any:
        if request["Key"]["SK"]["S"] == "FAIRUSE":
            Throttling("ThrottlingException")()
        return real(**request)

    monkeypatch.setattr(clients.dynamodb(), "update_item", hot)

    assert refuse(unlimited, 0).message == FAIR_USE


def test_an_organization_off_the_unlimited_tier_is_refused_without_a_reason_however_often(
    explorer: NewOrganization,
) -> None:
    key = f"Bearer {explorer.secret_key}"
    refused = []
    for minute in range(12):
        with clock.frozen(lambda minute=minute: START + minute * 60_000_000):  # type: ignore[misc] # as it was then
            refused += [call("POST", "/v1/uploads", key) for _ in range(8)][-1:]

    assert {answer.status for answer in refused} == {429}
    assert [answer for answer in refused if "reason" in answer.body["error"]] == []
