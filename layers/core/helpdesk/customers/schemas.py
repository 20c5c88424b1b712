"""What goes in and out of the routes of customers, and what a visitor tells about themselves."""

from typing import Annotated

from helpdesk.http.schemas import Answer, Body, Milliseconds, PageQuery, schema_hint

MAX_FACT_CHARACTERS = 2_000


class Identity(Answer):
    """What a visitor told about themselves; None is what they did not tell."""

    name: str | None
    email: str | None
    avatar_url: str | None
    metadata: dict[str, str] | None


class CustomerShape(Answer):
    """A customer: one who wrote, as far as they have told."""

    id: str
    name: str | None
    email: str | None
    """As the visitor's messages told it; nobody has checked that it is theirs."""
    avatar_url: str | None
    metadata: dict[str, str]
    """What was sent along as `user.metadata`; empty where nothing was."""
    created_at: Milliseconds
    """When they first wrote."""
    updated_at: Milliseconds
    """When they last told something new about themselves."""


class FactShape(Answer):
    """What the team noted down about a customer."""

    id: str
    text: str
    created_at: Milliseconds
    created_by_name: str | None
    """The teammate who added it; null where a secret key did."""


class CustomersQuery(PageQuery):
    """The parameters of GET /customers."""

    q: str | None = None
    """Only customers in whose name or e-mail address all these words occur."""


class CustomersAnswer(Answer):
    """GET /customers, the newest first."""

    customers: list[CustomerShape]
    """May be fewer than `limit`, even none, while `nextCursor` leads on."""
    next_cursor: str | None
    """Send it as `cursor` for the next page; null at the end."""


class CustomerAnswer(Answer):
    """GET /customers/{id}: the record, and the newest facts first; `nextCursor` leads to older ones."""

    customer: CustomerShape
    facts: list[FactShape]
    next_cursor: str | None
    """Send it as `cursor` for older facts; null at the end."""


class FactInput(Body):
    """A fact to note down."""

    text: Annotated[str, schema_hint(minLength=1, maxLength=MAX_FACT_CHARACTERS)]
    """1 to 2,000 characters after trimming."""


class FactCreated(Answer):
    """The answer of a fact: its id."""

    id: str
