"""Items of sign-in: how visitors sign in, codes that wait, tokens that were used, and the secrets that prove them."""

from helpdesk.accounts.secret_keys.record import SiteKeySecret
from helpdesk.mail.codes import SiteCode
from helpdesk.platform import clock
from helpdesk.site.sign_in.record import SiteClientSecret, SiteToken
from helpdesk.site.visitors.record import Problem, SiteSignIn
from helpdesk.storage import table
from helpdesk.storage.changes import other_than
from helpdesk.storage.collection import Collection
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction


class StaleSettings(ConditionFailed):
    """Another request changed the settings since they were read."""


class AlreadyUsed(ConditionFailed):
    """A code, token or state was used before."""


def settings(organization: str) -> SiteSignIn:
    """Return how visitors sign in. One call."""
    return Collection(SiteSignIn).find(organization) or SiteSignIn(organization=organization)


def note_problem(seen: SiteSignIn, problem: Problem | None) -> None:
    """Write why the last sign-in was refused, or with None that one works. Settings that changed since stay."""
    try:
        table.change(seen.key, set={"problem": problem}, require={"version": seen.version})
    except ConditionFailed:
        return


def use_code(transaction: Transaction, organization: str, handle_hash: str) -> None:
    """Remove a code whose sign-in ends here. The transaction raises AlreadyUsed."""
    transaction.delete(SiteCode.key_for(organization, handle_hash), require={}, on_failure=AlreadyUsed)


def put_token(token: SiteToken) -> None:
    """Add a token of the customer's app that was checked, or a state that is used. Raises AlreadyUsed."""
    try:
        table.put_new(token)
    except ConditionFailed:
        raise AlreadyUsed(None) from None


def token(organization: str, token_hash: str) -> SiteToken | None:
    """Return a token that was checked and is not used; None if there is none."""
    found = Collection(SiteToken).find(organization, token_hash)
    is_waiting = found is not None and found.claims is not None and found.valid_until > clock.now_ms()
    return found if is_waiting else None


def use_token(transaction: Transaction, seen: SiteToken) -> None:
    """Use a token, once; what it says of a person is removed. The transaction raises AlreadyUsed."""
    transaction.change(
        seen.key,
        set={"claims": None, "state": None},
        require={"claims": other_than(None)},
        on_failure=AlreadyUsed,
    )


def client_secret(organization: str) -> str:
    """Return the client secret at the provider; empty if it is gone."""
    found = Collection(SiteClientSecret).find(organization)
    return "" if found is None else found.secret


def key_secrets(organization: str) -> list[str]:
    """Return the secrets of the organization's live keys, the newest key first. One call."""
    found = Collection(SiteKeySecret).page(organization, limit=100, newest_first=True, consistent=True)
    return [each.secret for each in found.records]
