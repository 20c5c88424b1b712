"""Items of sign-in: how visitors sign in, codes that wait, and tokens that were used."""

from helpdesk.accounts.sign_in_codes.record import SiteCode
from helpdesk.platform import clock
from helpdesk.platform.units import HOUR_SECONDS
from helpdesk.site.sign_in.record import Problem, SignInSettings, TokenRecord
from helpdesk.storage import keys, table
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction


class StaleSettings(ConditionFailed):
    """Another request changed the settings since they were read."""


class AlreadyUsed(ConditionFailed):
    """A code, token or state was used before."""


def settings(organization: str) -> SignInSettings:
    """Return how visitors sign in. One call."""
    return SignInSettings.from_item(table.get(keys.SiteSignIn(organization)))


def save(transaction: Transaction, organization: str, before: SignInSettings, after: SignInSettings) -> None:
    """Write the settings. The transaction raises StaleSettings if they are not those that were read."""
    condition, values = "attribute_not_exists(PK)", {}
    if before.version:
        condition, values = "#version = :before", {":before": before.version}
    transaction.set(
        keys.SiteSignIn(organization),
        after.to_item(),
        condition=condition,
        values=values,
        on_failure=StaleSettings,
    )


def note_problem(organization: str, seen: SignInSettings, problem: Problem | None) -> None:
    """Write why the last sign-in was refused, or with None that one works. Settings that changed since stay."""
    try:
        table.update(
            keys.SiteSignIn(organization),
            "SET problem = :problem",
            condition="#version = :version",
            names={"#version": "version"},
            values={
                ":problem": None if problem is None else problem.to_item(),
                ":version": seen.version,
            },
        )
    except ConditionFailed:
        return


def use_code(transaction: Transaction, organization: str, handle_hash: str) -> None:
    """Remove a code whose sign-in ends here. The transaction raises AlreadyUsed."""
    transaction.delete(SiteCode.key_for(organization, handle_hash), require={}, on_failure=AlreadyUsed)


def put_token(organization: str, token_hash: str, checked: TokenRecord) -> None:
    """Add a token of the customer's app that was checked. Raises AlreadyUsed if it came before."""
    try:
        table.put_new(
            {
                **keys.SiteToken(organization, token_hash).attributes(),
                **checked.to_item(),
                # Longer than the token is valid, so that a second use is refused until then.
                "expiresAt": checked.valid_until // 1_000 + HOUR_SECONDS,
            }
        )
    except ConditionFailed:
        raise AlreadyUsed(None) from None


def use_state(organization: str, state_hash: str) -> None:
    """Use a state, once. Raises AlreadyUsed."""
    try:
        table.put_new(
            {
                **keys.SiteToken(organization, state_hash).attributes(),
                # Longer than a state is valid, so that a second use is refused until then.
                "expiresAt": clock.seconds_from_now(HOUR_SECONDS),
            }
        )
    except ConditionFailed:
        raise AlreadyUsed(None) from None


def token(organization: str, token_hash: str) -> TokenRecord | None:
    """Return a token that was checked and is not used; None if there is none."""
    item = table.get(keys.SiteToken(organization, token_hash))
    if item is None or "claims" not in item or item["validUntil"] <= clock.now_ms():
        return None
    return TokenRecord.from_item(item)


def use_token(transaction: Transaction, organization: str, token_hash: str) -> None:
    """Use a token, once; what it says of a person is removed. The transaction raises AlreadyUsed."""
    transaction.update(
        keys.SiteToken(organization, token_hash),
        "REMOVE claims, #state",
        condition="attribute_exists(claims)",
        names={"#state": "state"},
        on_failure=AlreadyUsed,
    )
