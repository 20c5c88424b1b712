"""A person who belongs to nothing yet, and a token as the OAuth server makes them."""

from collections.abc import Callable

import pytest

from helpdesk.accounts.oauth.record import Grant
from helpdesk.api.admission.record import AccessToken
from helpdesk.platform.digest import sha256_hex
from helpdesk.storage import table
from tests.support.api import Client
from tests.support.people import make_person, token_of

GRANT = "grant_1"


@pytest.fixture
def paula() -> str:
    """The id of a person without an organization."""
    return make_person(None, role="member", name="Paula Person", email="paula@example.com")


@pytest.fixture
def newcomer(paula: str) -> Client:
    """A client with that person's token, which acts in no organization."""
    return Client(token_of(paula, None))


@pytest.fixture
def with_grant() -> Callable[[str, str | None], Client]:
    """Make a token that descends from the grant `GRANT`, as the OAuth server makes them."""

    def make(user_id: str, organization: str | None) -> Client:
        token = token_of(user_id, organization)
        bound = {"organization": organization} if organization else {}
        table.put_new({**Grant.key_for(GRANT).attributes(), **bound})
        table.update(
            AccessToken.key_for(sha256_hex(token)),
            "SET grantId = :id, scopes = :scopes",
            values={":id": GRANT, ":scopes": ["api", "manage"]},
        )
        return Client(token)

    return make
