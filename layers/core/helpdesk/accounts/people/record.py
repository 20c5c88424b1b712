"""A person as stored, and the form in which e-mail addresses are compared."""

import re
import unicodedata
from typing import Self

from helpdesk.accounts.people.errors import InvalidEmail
from helpdesk.api.admission.caller import Role
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.record import Record, field
from helpdesk.platform.text import is_blank
from helpdesk.storage.table import Item

MAX_EMAIL_CHARACTERS = 320
MAX_NAME_CHARACTERS = 80
# One address, no spaces, a domain of two labels or more. Only a message can show whether anyone reads it.
_EMAIL = re.compile(r"[^\s@<>()\[\],;:\"\\]{1,64}@[^\s@<>()\[\],;:\"\\.]+(\.[^\s@<>()\[\],;:\"\\.]+)+")


class PersonRecord(Record):
    """A person; `roles` holds their role in each of their organizations.

    `joined_at` (ms) is when they became a member there. It is missing for people who joined before it was stored.
    """

    id: str
    name: str
    email: str
    roles: dict[str, Role] = field(default_factory=dict)
    joined_at: dict[str, int] = field(default_factory=dict)

    @classmethod
    def from_item(cls, item: Item) -> Self:
        """Read a person's item."""
        roles = {
            organization: Role(membership["role"])
            for organization, membership in item["organizations"].items()
        }
        joined_at = {
            organization: membership["joinedAt"]
            for organization, membership in item["organizations"].items()
            if "joinedAt" in membership
        }
        return cls(item["id"], item["name"], item["email"], roles, joined_at)

    def to_item(self) -> Item:
        """Return the attributes of the person's item."""
        return {
            "id": self.id,
            "name": self.name,
            "email": self.email,
            "organizations": {
                organization: {"role": role.value}
                | ({"joinedAt": self.joined_at[organization]} if organization in self.joined_at else {})
                for organization, role in self.roles.items()
            },
        }


def normalized_email(text: str) -> str:
    """Return an address in lower case, composed and without surrounding space. Raises InvalidEmail."""
    email = text.strip().lower()
    if len(email) > MAX_EMAIL_CHARACTERS:  # first, because composing can take time quadratic in the length
        raise InvalidEmail
    email = unicodedata.normalize("NFC", email)
    if _EMAIL.fullmatch(email) is None or not email.isprintable() or is_blank(email.partition("@")[0]):
        raise InvalidEmail
    if not _is_mailed_to_itself(email.partition("@")[2]):
        raise InvalidEmail
    return email


def _is_mailed_to_itself(domain: str) -> bool:
    """Return whether mail to a domain reaches that domain and no other.

    The ASCII form that mail servers use (RFC 3490) maps some domains to others: straße.de becomes strasse.de, whose
    owner would receive another person's codes and invitations. Such a domain can be written in its own ASCII form.
    """
    if domain.isascii():
        return True
    try:
        return domain.encode("idna").decode("idna") == domain
    except UnicodeError:
        return False


def hash_of_email(email: str) -> str:
    """Return the SHA-256 of a normalized address, which stands for the address in keys."""
    return sha256_hex(email)
