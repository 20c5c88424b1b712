"""A person as stored, and the form in which addresses are compared."""

import re
import unicodedata
from typing import NamedTuple, Self

from helpdesk.admission.caller import Role
from helpdesk.people.errors import InvalidEmail
from helpdesk.platform.digest import sha256_hex
from helpdesk.storage.table import Item

MAX_EMAIL_CHARACTERS = 320
MAX_NAME_CHARACTERS = 80
# One address, no spaces, a domain of two labels or more. Whether it is anybody's only a message to it can tell.
_EMAIL = re.compile(r"[^\s@<>()\[\],;:\"\\]{1,64}@[^\s@<>()\[\],;:\"\\.]+(\.[^\s@<>()\[\],;:\"\\.]+)+")


class PersonRecord(NamedTuple):
    """A person; `roles` says what he is in each of his organizations."""

    id: str
    name: str
    email: str
    roles: dict[str, Role]

    @classmethod
    def from_item(cls, item: Item) -> Self:
        """Read a person's item."""
        roles = {
            organization: Role(membership["role"])
            for organization, membership in item["organizations"].items()
        }
        return cls(item["id"], item["name"], item["email"], roles)


def normalized_email(text: str) -> str:
    """Return an address in lower case, composed and without surrounding space. Raises InvalidEmail."""
    email = text.strip().lower()
    if len(email) > MAX_EMAIL_CHARACTERS:  # before it is composed, which may take the square of the length
        raise InvalidEmail
    email = unicodedata.normalize("NFC", email)
    if _EMAIL.fullmatch(email) is None or not email.isprintable():
        raise InvalidEmail
    if not _is_mailed_to_itself(email.partition("@")[2]):
        raise InvalidEmail
    return email


def _is_mailed_to_itself(domain: str) -> bool:
    """Return whether mail to a domain goes to this one.

    The form in which a domain is mailed to (RFC 3490) turns some into others: straße.de into strasse.de, whose owner
    would get the codes and invitations of somebody else. Such a domain can be written in its own ASCII form.
    """
    if domain.isascii():
        return True
    try:
        return domain.encode("idna").decode("idna") == domain
    except UnicodeError:
        return False


def hash_of_email(email: str) -> str:
    """Return the SHA-256 of a normalized address, by which it is found without being spelled in a key."""
    return sha256_hex(email)
