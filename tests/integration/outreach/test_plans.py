"""Mail to customers on each plan: a paid plan includes it, and Explore does not."""

from collections.abc import Callable, Iterator

import pytest

from helpdesk.accounts.organizations import service as organizations
from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.api.admission.limits import Plan
from helpdesk.api.admission.record import MailCeiling
from helpdesk.platform.settings import settings
from helpdesk.storage import table
from tests.support import table as whole_table
from tests.support.api import Answer, Client
from tests.support.mail import Sent, carry, jobs, post_office

EMAIL = "vera@example.com"
SESSION = "session-of-vera"
type Make = Callable[..., NewOrganization]


@pytest.fixture(autouse=True)
def mails(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Sent]]:
    """Let mail be sent; the mails that SES took."""
    with post_office(monkeypatch) as taken:
        yield taken


@pytest.fixture
def explore(make_organization: Make) -> Client:
    """The API as the key of an organization on the plan Explore sees it."""
    return Client(make_organization(Plan.EXPLORE, api_limits=False).secret_key)


def visitor_of(api: Client, **user: str) -> str:
    sent = {"session": SESSION, "body": "Hello", **({"user": user} if user else {})}
    conversation = api.post("/v1/messages", sent).body["conversationId"]
    return str(api.get(f"/v1/conversations/{conversation}").body["conversation"]["customer"]["id"])


def write_to(api: Client, customer: str) -> Answer:
    return api.post(f"/v1/customers/{customer}/messages", {"body": "Your refund is on its way."})


@pytest.mark.parametrize("plan", [Plan.STANDARD, Plan.PRO])
def test_a_paid_plan_includes_mail_to_customers(
    make_organization: Make, mails: list[Sent], plan: Plan
) -> None:
    api = Client(make_organization(plan, api_limits=False).secret_key)

    answer = write_to(api, visitor_of(api, email=EMAIL))
    carry()

    assert (answer.status, answer.body["mail"]) == (200, "queued")
    assert [mail.to for mail in mails] == [[EMAIL]]


def test_on_explore_the_message_is_in_the_session_and_is_not_mailed(
    explore: Client, mails: list[Sent]
) -> None:
    answer = write_to(explore, visitor_of(explore, email=EMAIL))
    carry()

    assert (answer.status, answer.body["mail"]) == (200, "upgrade_required")
    history = explore.get(f"/v1/messages?session={SESSION}").body["conversations"]
    assert history[0]["messages"][-1]["body"] == "Your refund is on its way."
    assert (jobs(), mails) == ([], [])


def test_on_explore_a_customer_without_a_session_cannot_be_written_to(explore: Client) -> None:
    customer = explore.post("/v1/customers", {"email": EMAIL}).body["id"]

    refused = write_to(explore, customer)

    assert (refused.status, refused.code) == (400, "upgrade_required")
    assert refused.message == (
        "This customer can be reached by e-mail only, and e-mail to customers requires a paid plan. Ask your operator "
        "to change the plan, or wait until the customer writes to you."
    )
    assert whole_table.of_kind("CONV") == []
    assert jobs() == []


def test_on_explore_nothing_is_taken_from_the_limits_of_mail(explore: Client) -> None:
    write_to(explore, visitor_of(explore, email=EMAIL))

    assert table.get(MailCeiling.key_for("outreach")) is None


def test_a_change_of_plan_applies_to_the_next_message(make_organization: Make, mails: list[Sent]) -> None:
    made = make_organization(Plan.EXPLORE, api_limits=False)
    api = Client(made.secret_key)
    customer = visitor_of(api, email=EMAIL)
    outcomes = [write_to(api, customer).body["mail"]]
    organizations.set_plan(made.organization_id, Plan.STANDARD, api_limits=False, unlimited_api=False)
    outcomes.append(write_to(api, customer).body["mail"])

    assert outcomes == ["upgrade_required", "queued"]


def test_the_response_says_why_a_message_is_not_mailed(api: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    assert write_to(api, visitor_of(api)).body["mail"] == "no_address"
    customer = visitor_of(api, email=EMAIL)
    monkeypatch.setenv("MAIL_FROM", "")
    settings.cache_clear()

    assert write_to(api, customer).body["mail"] == "not_set_up"


def test_without_a_sender_a_customer_without_a_session_is_unreachable(
    api: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAIL_FROM", "")
    settings.cache_clear()
    customer = api.post("/v1/customers", {"email": EMAIL}).body["id"]

    refused = write_to(api, customer)

    assert (refused.status, refused.code) == (400, "customer_unreachable")
    assert "Ask your operator to set the parameter MailFrom" in refused.message
