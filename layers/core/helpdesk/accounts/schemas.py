"""Request and response models of a person's own routes (Specification: Routes named elsewhere)."""

from typing import Annotated

from helpdesk.accounts.people.record import MAX_NAME_CHARACTERS
from helpdesk.api.admission.caller import Role
from helpdesk.api.http.schemas import Answer, Body, schema_hint


class User(Answer):
    """A person."""

    id: str
    name: str
    """The name that other people see."""
    email: str
    """The address with which the person signs in."""


class OrganizationOfMine(Answer):
    """An organization that the person belongs to, and their role in it."""

    id: str
    name: str
    slug: str
    role: Role


class Me(Answer):
    """The response of GET and PATCH /me."""

    user: User
    organization: OrganizationOfMine | None
    """The organization in which the access token acts; null if there is none, or the person has left it."""
    organizations: list[OrganizationOfMine]
    """Every organization that the person belongs to, oldest first."""


class MeUpdate(Body):
    """The body of PATCH /me."""

    name: Annotated[str, schema_hint(minLength=1, maxLength=MAX_NAME_CHARACTERS)]
    """1 to 80 characters after trimming."""


class ActiveOrganization(Body):
    """The body of POST /me/organization."""

    organization_id: str
    """An organization that you belong to."""
