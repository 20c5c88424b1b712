"""Request and response models of a person's own routes (Specification: Routes named elsewhere)."""

from typing import Annotated

from helpdesk.admission.caller import Role
from helpdesk.http.schemas import Answer, Body, schema_hint
from helpdesk.people.record import MAX_NAME_CHARACTERS


class User(Answer):
    """A person."""

    id: str
    name: str
    """As others see the person."""
    email: str
    """What the person signs in with."""


class OrganizationOfMine(Answer):
    """An organization that the person belongs to, and as what."""

    id: str
    name: str
    slug: str
    role: Role


class Me(Answer):
    """The answer of GET and PATCH /me."""

    user: User
    organization: OrganizationOfMine | None
    """The organization that the access token acts in; null while it is bound to none, or its person has left it."""
    organizations: list[OrganizationOfMine]
    """Every organization that the person belongs to, the oldest first."""


class MeUpdate(Body):
    """The body of PATCH /me."""

    name: Annotated[str, schema_hint(minLength=1, maxLength=MAX_NAME_CHARACTERS)]
    """1 to 80 characters after trimming."""


class Binding(Body):
    """The body of POST /me/organization."""

    organization_id: str
    """An organization that you belong to."""
