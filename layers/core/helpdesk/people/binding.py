"""Which organization an access token acts in."""

from helpdesk.admission.caller import Person
from helpdesk.platform.errors import InvalidToken
from helpdesk.storage import keys
from helpdesk.storage.transactions import Transaction


def bind(transaction: Transaction, person: Person, organization: str | None) -> None:
    """Move the token that the person sent to an organization, and with it the tokens that are to follow from its grant.

    Without an organization they act in none.

    The transaction raises InvalidToken where either was revoked meanwhile.
    """
    moved = [keys.AccessToken(person.token_hash), *([keys.Grant(person.grant_id)] if person.grant_id else [])]
    for key in moved:
        transaction.update(
            key,
            "SET organization = :organization",
            condition="attribute_exists(PK)",
            values={":organization": organization},
            on_failure=lambda _: InvalidToken(),
        )
