"""Keys of items that no organization owns: people, sign-in, OAuth, and values that are unique across organizations.

storage/keys.py re-exports these names. No other module imports them from here.
"""

from helpdesk.storage.item_key import ItemKey


class Person(ItemKey):
    """A person, with their organizations and their role in each."""

    PK, SK = "PERSON#{user_id}", "PERSON"
    user_id: str


class PersonByEmail(ItemKey):
    """The person whom an e-mail address belongs to; the address is stored as its SHA-256."""

    PK, SK = "EMAIL#{email_hash}", "EMAIL"
    email_hash: str


class AccessToken(ItemKey):
    """An OAuth access token by its SHA-256: its person, its organization and its grant."""

    PK, SK = "TOKEN#{token_hash}", "TOKEN"
    token_hash: str


class Grant(ItemKey):
    """A person's grant to a client: the family of tokens that descend from one approval."""

    PK, SK = "OAUTH#GRANT#{grant_id}", "GRANT"
    grant_id: str


def grants_of_person(user_id: str) -> str:
    """Return the partition of GSI1 that lists a person's grants."""
    return f"PERSON#{user_id}#GRANTS"


class LegacyKey(ItemKey):
    """Which organization a key from before the current scheme belongs to, by the key's SHA-256."""

    PK, SK = "LEGACYKEY#{key_hash}", "LEGACYKEY"
    key_hash: str


class Slug(ItemKey):
    """Which organization holds a slug, or had it in the last year; its presence is what makes a slug unique."""

    PK, SK = "SLUG#{slug}", "SLUG"
    slug: str


class SupportEmail(ItemKey):
    """Which organization a support address belongs to; the address is kept as its SHA-256."""

    PK, SK = "SUPPORTEMAIL#{email_hash}", "SUPPORTEMAIL"
    email_hash: str
