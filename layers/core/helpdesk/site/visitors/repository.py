"""Items of visitors' sessions."""

from collections.abc import Mapping
from typing import NamedTuple

from helpdesk.customers.record import Customer
from helpdesk.platform import clock
from helpdesk.site.visitors.record import SignInMethod, SiteSession
from helpdesk.storage import keys, table
from helpdesk.storage.marks import BEING_ERASED
from helpdesk.storage.stored import AnyKey, Key
from helpdesk.storage.table import Item


class SessionKeys(NamedTuple):
    """The items that say who is signed in: the session, how visitors sign in now, and the customer."""

    session: Key
    settings: keys.SiteSignIn
    customer: Key


def session_keys(organization: str, browser_hash: str, customer_id: str) -> SessionKeys:
    """Return the keys to read for a browser whose cookie names a customer."""
    return SessionKeys(
        SiteSession.key_for(organization, browser_hash),
        keys.SiteSignIn(organization),
        Customer.key_for(organization, customer_id),
    )


def signed_in(wanted: SessionKeys, found: Mapping[AnyKey, Item]) -> tuple[SiteSession, Customer] | None:
    """Return the session and its customer; None if nobody is signed in any more.

    A session is over when its time is, when visitors sign in another way since, and when its customer was erased.
    """
    item, customer = found.get(wanted.session), found.get(wanted.customer)
    if item is None or customer is None or BEING_ERASED in customer:
        return None
    session = SiteSession.from_item(item)
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
    if item is None or customer is None or BEING_ERASED in customer:
        return None
    is_theirs = SiteSession.from_item(item).customer_id == customer["id"]
    return Customer.from_item(customer).email if is_theirs else None


def method(organization: str, found: Mapping[AnyKey, Item]) -> SignInMethod:
    """Return how visitors sign in; with a code until someone sets something else."""
    item = found.get(keys.SiteSignIn(organization))
    return SignInMethod.MEDIAN if item is None else SignInMethod(item["method"])


def put_over(session: SiteSession) -> None:
    """Add a session that is over, which says whose the browser was."""
    table.put_new(session)


def delete(organization: str, browser_hash: str) -> None:
    """Remove the session of a browser, if it has one."""
    table.delete(SiteSession.key_for(organization, browser_hash))
