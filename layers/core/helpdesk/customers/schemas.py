"""Requests and responses of the customer routes."""

from typing import Annotated

from helpdesk.api.http.schemas import Answer, Body, Milliseconds, PageQuery, schema_hint

MAX_FACT_CHARACTERS = 2_000


class CustomerShape(Answer):
    """A customer: a visitor who has written, or somebody whom the team added."""

    id: str
    name: str | None
    email: str | None
    """The address that their messages or the team gave. It is not verified."""
    avatar_url: str | None
    metadata: dict[str, str]
    """Facts from the `user.metadata` of their messages or from the team; empty if there are none."""
    mail_notices: bool
    """Whether notices that answer nothing are mailed to them. False after they unsubscribed by a link in a mail."""
    created_at: Milliseconds
    """When they first wrote, or were added."""
    updated_at: Milliseconds
    """When a message or the team last changed this record."""


class FactShape(Answer):
    """What the team wrote down about a customer."""

    id: str
    text: str
    created_at: Milliseconds
    created_by: str | None
    """The ID of the person or key."""
    created_by_name: str
    """The teammate or secret key that added it."""


class CustomersQuery(PageQuery):
    """The parameters of GET /customers."""

    q: str | None = None
    """Only customers in whose name or e-mail address all these words occur."""


class CustomersAnswer(Answer):
    """GET /customers, the newest first."""

    customers: list[CustomerShape]
    """Can be fewer than `limit`, even none, while there is a `nextCursor`."""
    next_cursor: str | None
    """Send it as `cursor` for the next page; null at the end."""


class CustomerAnswer(Answer):
    """GET /customers/{id}: the record, and the newest facts first; `nextCursor` leads to older ones."""

    customer: CustomerShape
    facts: list[FactShape]
    next_cursor: str | None
    """Send it as `cursor` for older facts; null at the end."""


class CustomerCreated(Answer):
    """The response to a new customer: their ID."""

    id: str


class CustomerChanged(Answer):
    """The response to a change of a customer."""

    customer: CustomerShape


class FactInput(Body):
    """A fact to add."""

    text: Annotated[str, schema_hint(minLength=1, maxLength=MAX_FACT_CHARACTERS)]
    """1 to 2,000 characters after trimming."""


class FactCreated(Answer):
    """The response to a new fact: its ID."""

    id: str
