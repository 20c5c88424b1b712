"""Keys of items that no organization owns: people, sign-in, OAuth, and values that are unique across organizations.

storage/keys.py re-exports these names. No other module imports them from here.
"""

from helpdesk.storage.item_key import ItemKey


class Person(ItemKey):
    """A person, with their organizations and their role in each."""

    PK, SK = "PERSON#{user_id}", "PERSON"
    user_id: str


class PersonAllowance(ItemKey):
    """One class's token bucket of a person, for what concerns no organization.

    It isn't in the person's partition: every function charges it, and few may write a person (template/roles.yaml).
    """

    PK, SK = "PERSONALLOWANCE#{user_id}", "ALLOWANCE#{request_class}"
    user_id: str
    request_class: str


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


class AddressBucket(ItemKey):
    """A token bucket of a caller's network address, which is kept as its SHA-256."""

    PK, SK = "ADDRESS#{address_hash}", "BUCKET#{name}"
    address_hash: str
    name: str


class EmailBucket(ItemKey):
    """A token bucket of an e-mail address, which is kept as its SHA-256."""

    PK, SK = "OAUTH#EMAIL#{email_hash}", "BUCKET#{name}"
    email_hash: str
    name: str


class SharedBucket(ItemKey):
    """A token bucket that all callers share."""

    PK, SK = "OAUTH#SHARED", "BUCKET#{name}"
    name: str


class WaitPool(ItemKey):
    """A shard of the waits that the organizations of a kind of plan share."""

    PK, SK = "WAITS#{pool}#{shard}", "WAITS"
    pool: str
    shard: str


class MailCeiling(ItemKey):
    """The token bucket of one kind of mail that all organizations of this deployment share."""

    PK, SK = "MAILCEILING#{kind}", "BUCKET"
    kind: str


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


class SupportEmailBucket(ItemKey):
    """The token bucket of codes that all organizations mail to an address."""

    PK, SK = "SUPPORTEMAIL#{email_hash}", "BUCKET"
    email_hash: str


class SchemaVersion(ItemKey):
    """The schema of the table's items, and the progress of a running migration."""

    PK, SK = "SCHEMA", "SCHEMA"
