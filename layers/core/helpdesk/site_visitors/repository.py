"""Items of visitors' sessions."""

from collections.abc import Mapping
from typing import NamedTuple

from helpdesk.customers.record import Customer
from helpdesk.platform import clock
from helpdesk.site_visitors.record import SessionRecord, SignInMethod
from helpdesk.storage import keys, table
from helpdesk.storage.marks import BEING_ERASED
from helpdesk.storage.stored import AnyKey
from helpdesk.storage.table import Item
from helpdesk.storage.transactions import Transaction


class SessionKeys(NamedTuple):
    """The items that say who is signed in: the session, how visitors sign in now, and the customer."""

    session: keys.SiteSession
    settings: keys.SiteSignIn
    customer: keys.Customer


def session_keys(organization: str, browser_hash: str, customer_id: str) -> SessionKeys:
    """Return the keys to read for a browser whose cookie names a customer."""
    return SessionKeys(
        keys.SiteSession(organization, browser_hash),
        keys.SiteSignIn(organization),
        keys.Customer(organization, customer_id),
    )


def signed_in(wanted: SessionKeys, found: Mapping[AnyKey, Item]) -> tuple[SessionRecord, Customer] | None:
    """Return the session and its customer; None if nobody is signed in any more.

    A session is over when its time is, when visitors sign in another way since, and when its customer was erased.
    """
    item, customer = found.get(wanted.session), found.get(wanted.customer)
    if item is None or customer is None or BEING_ERASED in customer:
        return None
    session = SessionRecord.from_item(item)
    epoch = found.get(wanted.settings, {}).get("epoch", 0)
    if (
        session.customer_id != customer["id"]
        or session.epoch != epoch
        or session.valid_until <= clock.now_ms()
    ):
        return None
    return session, Customer.from_item(customer)


def known_email(wanted: SessionKeys, found: Mapping[AnyKey, Item]) -> str | None:
    """Return the address of the customer who signed in before in a browser, also when the session is over."""
    item, customer = found.get(wanted.session), found.get(wanted.customer)
    if item is None or customer is None or BEING_ERASED in customer or item["customerId"] != customer["id"]:
        return None
    return Customer.from_item(customer).email


def method(organization: str, found: Mapping[AnyKey, Item]) -> SignInMethod:
    """Return how visitors sign in; with a code until someone sets something else."""
    item = found.get(keys.SiteSignIn(organization))
    return SignInMethod.MEDIAN if item is None else SignInMethod(item["method"])


def put(
    transaction: Transaction, organization: str, browser_hash: str, session: SessionRecord, kept_seconds: int
) -> None:
    """Add the session of a browser. Its item is kept for so long, also when the session is over."""
    transaction.put(_item(organization, browser_hash, session, kept_seconds), new=True)


def put_over(organization: str, browser_hash: str, session: SessionRecord, kept_seconds: int) -> None:
    """Add a session that is over, which says whose the browser was."""
    table.put_new(_item(organization, browser_hash, session, kept_seconds))


def _item(organization: str, browser_hash: str, session: SessionRecord, kept_seconds: int) -> Item:
    return {
        **keys.SiteSession(organization, browser_hash).attributes(),
        **session.to_item(),
        "expiresAt": clock.seconds_from_now(kept_seconds),
    }


def delete(organization: str, browser_hash: str) -> None:
    """Remove the session of a browser, if it has one."""
    table.delete(keys.SiteSession(organization, browser_hash))
