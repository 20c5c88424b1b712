"""Requests and responses of the customer routes, and what a visitor says about themselves."""

from typing import Annotated

from helpdesk.http.schemas import Answer, Body, Milliseconds, PageQuery, schema_hint

MAX_FACT_CHARACTERS = 2_000


class Identity(Answer):
    """What a visitor says about themselves; None for what they leave out."""

    name: str | None
    email: str | None
    avatar_url: str | None
    metadata: dict[str, str] | None


class CustomerShape(Answer):
    """A customer: a visitor who has written."""

    id: str
    name: str | None
    email: str | None
    """The address that the visitor's messages gave. It is not verified."""
    avatar_url: str | None
    metadata: dict[str, str]
    """The `user.metadata` of their messages; empty if none was sent."""
    created_at: Milliseconds
    """When they first wrote."""
    updated_at: Milliseconds
    """When a message last changed this record."""


class FactShape(Answer):
    """What the team wrote down about a customer."""

    id: str
    text: str
    created_at: Milliseconds
    created_by_name: str | None
    """The teammate who added it; null if a secret key did."""


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


class FactInput(Body):
    """A fact to add."""

    text: Annotated[str, schema_hint(minLength=1, maxLength=MAX_FACT_CHARACTERS)]
    """1 to 2,000 characters after trimming."""


class FactCreated(Answer):
    """The response to a new fact: its id."""

    id: str
