"""How many messages to customers go out by mail in an hour: a bucket of the organization's."""

from collections.abc import Iterator

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.mail import allowance
from helpdesk.platform import clock
from tests.support.api import Answer, Client
from tests.support.mail import Sent, jobs, post_office


@pytest.fixture(autouse=True)
def mails(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Sent]]:
    """Let mail be sent."""
    with post_office(monkeypatch) as taken:
        yield taken


def customer_of(api: Client, **user: str) -> str:
    sent = {"session": "session-of-vera", "body": "Hello", "user": user or {"name": "Vera"}}
    conversation = api.post("/v1/messages", sent).body["conversationId"]
    return str(api.get(f"/v1/conversations/{conversation}").body["conversation"]["customer"]["id"])


def write_to(api: Client, customer: str) -> Answer:
    return api.post(f"/v1/customers/{customer}/messages", {"body": "Your refund is on its way."})


def empty_the_bucket(organization: NewOrganization) -> None:
    for _ in range(100):
        allowance.charge(organization.organization_id, allowance.OUTREACH)


def test_a_hundred_go_out_at_once_and_then_one_every_six_seconds(
    api: Client, organization: NewOrganization
) -> None:
    with clock.frozen(lambda: 1_763_683_200_000_000):
        customer = customer_of(api, email="vera@example.com")
        empty_the_bucket(organization)
        refused = write_to(api, customer)
    with clock.frozen(lambda: 1_763_683_206_000_000):
        taken = write_to(api, customer)

    assert (refused.status, refused.code, refused.headers["retry-after"]) == (429, "rate_limited", "6")
    assert refused.message.startswith(
        "Wait a moment: an organization can send 600 e-mails to customers per hour"
    )
    assert taken.status == 200
    assert len(jobs()) == 1


def test_a_message_without_mail_takes_nothing_from_the_bucket(
    api: Client, organization: NewOrganization
) -> None:
    customer = customer_of(api)
    empty_the_bucket(organization)

    assert write_to(api, customer).status == 200


def test_a_refusal_is_logged(api: Client, organization: NewOrganization) -> None:
    now = clock.now_us()
    with clock.frozen(lambda: now):  # on a slow machine the bucket would refill
        customer = customer_of(api, email="vera@example.com")
        empty_the_bucket(organization)
        write_to(api, customer)

    (entry,) = api.get("/v1/logs?kind=api_limit_reached").body["logs"]
    assert entry["summary"] == "API limit reached: no more e-mails to customers for the moment."
