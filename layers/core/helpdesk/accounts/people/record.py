"""A person as stored, and the form in which e-mail addresses are compared."""

import re
import unicodedata

from helpdesk.accounts.people.errors import InvalidEmail
from helpdesk.api.admission.caller import Role
from helpdesk.api.admission.record import Membership
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.text import is_blank
from helpdesk.storage.stored import Stored, field

MAX_EMAIL_CHARACTERS = 320
MAX_NAME_CHARACTERS = 80
# One address, no spaces, a domain of two labels or more. Only a message can show whether anyone reads it.
_EMAIL = re.compile(r"[^\s@<>()\[\],;:\"\\]{1,64}@[^\s@<>()\[\],;:\"\\.]+(\.[^\s@<>()\[\],;:\"\\.]+)+")


class PersonRecord(Stored, kw_only=True):
    """A person, with their membership in each of their organizations; `created_at` is in ms."""

    PK, SK = "PERSON#{id}", "PERSON"

    id: str
    name: str
    email: str
    organizations: dict[str, Membership] = field(default_factory=dict)
    created_at: int | None = None

    @property
    def roles(self) -> dict[str, Role]:
        """Their role in each of their organizations."""
        return {organization: membership.role for organization, membership in self.organizations.items()}


class PersonByEmail(Stored, kw_only=True):
    """The person whom an e-mail address belongs to; the address is stored as its SHA-256."""

    PK, SK = "EMAIL#{email_hash}", "EMAIL"

    email_hash: str
    user_id: str


class BoundGrant(Stored, kw_only=True):
    """The organization of a person's grant, since when (ms)."""

    VIEW_OF = "Grant"
    PK, SK = "OAUTH#GRANT#{id}", "GRANT"
    GSI2 = "ORG#{organization}#GRANTS", "{id}"

    id: str
    organization: str | None = None
    bound_at: int = 0


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
