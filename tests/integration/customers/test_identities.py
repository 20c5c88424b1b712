"""Customers by what proves who they are: one customer, whatever happens at once, and nothing left after an erasure."""

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.conversations.messages import service as messages
from helpdesk.conversations.messages import visitors
from helpdesk.conversations.messages.schemas import MessageInput
from helpdesk.customers import identities
from helpdesk.customers import service as customers
from helpdesk.customers.identities import CustomerBeingErased, Proven
from helpdesk.customers.record import Customer
from helpdesk.storage import table
from tests.support.api import Client
from tests.support.table import everything, of_kind
from tests.support.workers import Workers

ADDRESS = identities.hash_of("email", "ada@example.com")
ACCOUNT = identities.hash_of("app", "42")


def sign_in(organization: NewOrganization, *hashes: str, **said: object) -> str:
    """Return the customer of a sign-in."""
    proven = Proven(hashes, said)
    return identities.find_or_create(organization.organization_id, proven, visitors.introduce).id


def test_the_first_sign_in_creates_the_customer_and_the_second_finds_them(
    organization: NewOrganization, api: Client
) -> None:
    first = sign_in(organization, ADDRESS, email="ada@example.com")
    second = sign_in(organization, ADDRESS, email="ada@example.com")

    assert first == second
    shown = api.get(f"/v1/customers/{first}").body["customer"]
    assert (shown["id"], shown["email"]) == (first, "ada@example.com")


def test_a_customer_whom_a_message_gave_an_address_is_not_signed_in_as(
    organization: NewOrganization, api: Client
) -> None:
    api.post("/v1/messages", {"session": "s" * 20, "body": "Hi", "user": {"email": "ada@example.com"}})
    [claimed] = api.get("/v1/customers").body["customers"]

    assert sign_in(organization, ADDRESS, email="ada@example.com") != claimed["id"]


def test_an_external_id_and_a_verified_address_lead_to_one_customer(organization: NewOrganization) -> None:
    by_mail = sign_in(organization, ADDRESS, email="ada@example.com")
    by_app = sign_in(organization, ACCOUNT, ADDRESS, name="Ada", metadata={"externalId": "42"})

    assert by_app == by_mail
    assert sign_in(organization, ACCOUNT, metadata={"externalId": "42"}) == by_mail
    found = customers.by_ids(organization.organization_id, [by_mail])[by_mail]
    assert (found.name, found.email, found.metadata) == ("Ada", "ada@example.com", {"externalId": "42"})


def test_an_identity_that_is_anothers_stays_theirs(organization: NewOrganization) -> None:
    by_mail = sign_in(organization, ADDRESS)
    by_app = sign_in(organization, ACCOUNT)

    assert sign_in(organization, ACCOUNT, ADDRESS) == by_app
    assert sign_in(organization, ADDRESS) == by_mail


def test_another_organizations_identity_is_another_customer(
    organization: NewOrganization, other_organization: NewOrganization
) -> None:
    assert sign_in(organization, ADDRESS) != sign_in(other_organization, ADDRESS)


def test_a_signed_in_customer_writes_in_one_session_on_any_device(organization: NewOrganization) -> None:
    customer_id = sign_in(organization, ADDRESS)
    customer = customers.by_ids(organization.organization_id, [customer_id])[customer_id]
    assert customer.session_hash is not None
    sent = MessageInput(session="not used", body="Where is my order?")

    accepted = messages.post_as(organization.organization_id, customer.session_hash, sent)

    history = messages.history_of(organization.organization_id, customer.session_hash)
    assert [each.id for each in history.conversations] == [accepted.conversation_id]
    assert len(of_kind("CUS")) == 1


def test_an_erasure_removes_what_a_customer_signs_in_by(organization: NewOrganization, api: Client) -> None:
    customer_id = sign_in(organization, ACCOUNT, ADDRESS, email="ada@example.com")
    workers = Workers()

    api.delete(f"/v1/customers/{customer_id}")
    with pytest.raises(CustomerBeingErased):
        sign_in(organization, ADDRESS)
    workers.run()

    assert of_kind("IDENTITY") == []
    assert ADDRESS not in str(everything())
    assert sign_in(organization, ADDRESS) != customer_id


def test_an_identity_whose_customer_is_gone_leads_to_a_new_one(organization: NewOrganization) -> None:
    gone = sign_in(organization, ADDRESS)
    table.delete(Customer.key_for(organization.organization_id, gone))

    after = sign_in(organization, ADDRESS)

    assert after != gone
    assert sign_in(organization, ADDRESS) == after


def test_a_customer_keeps_at_most_twenty_identities(organization: NewOrganization) -> None:
    hashes = [identities.hash_of("app", str(number)) for number in range(25)]
    for each in hashes:
        sign_in(organization, each, ADDRESS)

    assert len(of_kind("IDENTITY")) == 20
