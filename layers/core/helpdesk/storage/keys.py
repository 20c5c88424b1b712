"""The only place that spells a key of the table.

Each kind of item is a value object that builds its partition and sort key from its parts and parses them back.
Every tenant-owned partition begins `ORG#<organization>#`, so an id of another organization is not found by
construction. docs/access-patterns.md describes each kind; a test holds that page to the registry below.
"""

import re
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, ClassVar, Self

MAX_PART_CHARACTERS = 128
REGISTRY: dict[str, type["ItemKey"]] = {}


class MalformedKey(ValueError):
    """A part that no key has: it is empty, longer than any id, or holds the separator."""


@dataclass(frozen=True)
class ItemKey:
    """The primary key of one kind of item; a subclass gives the templates of both halves."""

    PK: ClassVar[str]
    SK: ClassVar[str]

    def __init_subclass__(cls) -> None:
        """Enter the kind in the registry under its class name."""
        REGISTRY[cls.__name__] = cls

    def __post_init__(self) -> None:
        """Refuse a part that holds the separator: with it, one tenant's key could spell another's.

        The length keeps every key under DynamoDB's 1,024 bytes for a sort key, whatever a caller sends as an id.
        """
        for field in fields(self):
            part = getattr(self, field.name)
            if not 0 < len(part) <= MAX_PART_CHARACTERS or "#" in part:
                raise MalformedKey(f"{type(self).__name__}.{field.name}")

    @cached_property
    def pk(self) -> str:
        """The partition key."""
        return self.PK.format(**self._parts())

    @cached_property
    def sk(self) -> str:
        """The sort key."""
        return self.SK.format(**self._parts())

    def attributes(self) -> dict[str, Any]:
        """Return the key as the item's attributes `PK` and `SK`."""
        return {"PK": self.pk, "SK": self.sk}

    def _parts(self) -> dict[str, str]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @classmethod
    def parse(cls, pk: str, sk: str) -> Self | None:
        """Return the key whose halves these are, or None where they belong to another kind."""
        found: dict[str, str] = {}
        for template, text in ((cls.PK, pk), (cls.SK, sk)):
            pattern = re.sub(r"\\{(\w+)\\}", rf"(?P<\1>[^#]{{1,{MAX_PART_CHARACTERS}}})", re.escape(template))
            match = re.fullmatch(pattern, text)
            if match is None:
                return None
            for name, part in match.groupdict().items():
                if found.setdefault(name, part) != part:
                    return None
        return cls(**found)


@dataclass(frozen=True)
class Organization(ItemKey):
    """An organization: its name, plan and settings that are read alone."""

    PK, SK = "ORG#{organization}#ORG", "ORG"
    organization: str


@dataclass(frozen=True)
class Slug(ItemKey):
    """Which organization holds a slug; its presence is what makes a slug unique."""

    PK, SK = "SLUG#{slug}", "SLUG"
    slug: str


@dataclass(frozen=True)
class Allowance(ItemKey):
    """One class's token bucket, with the hashes of the keys that may draw from it."""

    PK, SK = "ORG#{organization}#ALLOWANCE#{request_class}", "ALLOWANCE"
    organization: str
    request_class: str


@dataclass(frozen=True)
class SecretKey(ItemKey):
    """A secret key's record: name, hint, hash. Never the key."""

    PK, SK = "ORG#{organization}#KEY", "KEY#{key_id}"
    organization: str
    key_id: str


@dataclass(frozen=True)
class KeySecret(ItemKey):
    """The signing secrets derived from a key; the delivery and tool-calling roles alone may read them."""

    PK, SK = "ORG#{organization}#SECRET", "KEY#{key_id}"
    organization: str
    key_id: str


@dataclass(frozen=True)
class EndpointSecret(ItemKey):
    """The random secret that replaced a revoked key's for one webhook endpoint."""

    PK, SK = "ORG#{organization}#SECRET", "ENDPOINT#{endpoint_id}"
    organization: str
    endpoint_id: str


@dataclass(frozen=True)
class Member(ItemKey):
    """A person's membership: role, name, e-mail."""

    PK, SK = "ORG#{organization}#MEMBER", "MEMBER#{user_id}"
    organization: str
    user_id: str


@dataclass(frozen=True)
class Person(ItemKey):
    """A person, whatever organizations he belongs to."""

    PK, SK = "PERSON#{user_id}", "PERSON"
    user_id: str


@dataclass(frozen=True)
class PersonMembership(ItemKey):
    """One organization of a person, seen from the person."""

    PK, SK = "PERSON#{user_id}", "ORG#{organization}"
    user_id: str
    organization: str


@dataclass(frozen=True)
class PersonByEmail(ItemKey):
    """Which person an e-mail address belongs to; the address is kept as its SHA-256."""

    PK, SK = "EMAIL#{email_hash}", "EMAIL"
    email_hash: str


@dataclass(frozen=True)
class AccessToken(ItemKey):
    """An OAuth access token by its SHA-256: whose it is, in which organization, with which role."""

    PK, SK = "TOKEN#{token_hash}", "TOKEN"
    token_hash: str


@dataclass(frozen=True)
class Session(ItemKey):
    """A visitor's session by the SHA-256 of its token: whose it is, and a hint at its open conversation."""

    PK, SK = "ORG#{organization}#SESSION#{session_hash}", "SESSION"
    organization: str
    session_hash: str


@dataclass(frozen=True)
class SessionConversation(ItemKey):
    """One conversation of a session; ids sort by start, so the newest is the last."""

    PK, SK = "ORG#{organization}#SESSION#{session_hash}", "CONV#{conversation_id}"
    organization: str
    session_hash: str
    conversation_id: str


@dataclass(frozen=True)
class Customer(ItemKey):
    """A customer (the visitor record): name, e-mail, avatar, facts sent along."""

    PK, SK = "ORG#{organization}#CUS#{customer_id}", "CUS"
    organization: str
    customer_id: str


@dataclass(frozen=True)
class Conversation(ItemKey):
    """A conversation's state."""

    PK, SK = "ORG#{organization}#CONV#{conversation_id}", "CONV"
    organization: str
    conversation_id: str


@dataclass(frozen=True)
class Message(ItemKey):
    """A customer-visible message."""

    PK, SK = "ORG#{organization}#CONV#{conversation_id}", "MSG#{message_id}"
    organization: str
    conversation_id: str
    message_id: str


@dataclass(frozen=True)
class Note(ItemKey):
    """A note or system line in a thread, seen by the team alone."""

    PK, SK = "ORG#{organization}#CONV#{conversation_id}", "NOTE#{message_id}"
    organization: str
    conversation_id: str
    message_id: str


@dataclass(frozen=True)
class File(ItemKey):
    """An uploaded file: name, type, size, where it is attached."""

    PK, SK = "ORG#{organization}#FILE#{file_id}", "FILE"
    organization: str
    file_id: str


@dataclass(frozen=True)
class Event(ItemKey):
    """An event in the outbox with the text that every attempt sends."""

    PK, SK = "ORG#{organization}#EVENT#{event_id}", "EVENT"
    organization: str
    event_id: str


@dataclass(frozen=True)
class Job(ItemKey):
    """Work in the outbox of which no webhook tells."""

    PK, SK = "ORG#{organization}#JOB#{job_id}", "JOB"
    organization: str
    job_id: str


@dataclass(frozen=True)
class WebhookEndpoint(ItemKey):
    """A webhook endpoint: address, events, signing key, delivery status."""

    PK, SK = "ORG#{organization}#WEBHOOK", "ENDPOINT#{endpoint_id}"
    organization: str
    endpoint_id: str


@dataclass(frozen=True)
class WebhookEndpointCount(ItemKey):
    """How many webhook endpoints there are, so that the limit is a condition and not a count."""

    PK, SK = "ORG#{organization}#WEBHOOK", "COUNT"
    organization: str


@dataclass(frozen=True)
class Delivery(ItemKey):
    """One event's way to one endpoint: attempts made, the claim on the present one, the outcome."""

    PK, SK = "ORG#{organization}#DELIVERY#{endpoint_id}", "{event_id}"
    organization: str
    endpoint_id: str
    event_id: str


@dataclass(frozen=True)
class AgentSettings(ItemKey):
    """The agent's settings; absent until someone edits them."""

    PK, SK = "ORG#{organization}#AGENT", "AGENT"
    organization: str


@dataclass(frozen=True)
class KnowledgeDocument(ItemKey):
    """A knowledge document's record; its text is in S3."""

    PK, SK = "ORG#{organization}#KNOWLEDGE", "DOC#{document_id}"
    organization: str
    document_id: str


@dataclass(frozen=True)
class KnowledgeFolder(ItemKey):
    """A knowledge folder."""

    PK, SK = "ORG#{organization}#KNOWLEDGE", "FOLDER#{folder_id}"
    organization: str
    folder_id: str


@dataclass(frozen=True)
class LogEntry(ItemKey):
    """An entry of the organization's log; ids sort by time."""

    PK, SK = "ORG#{organization}#LOG", "LOG#{log_id}"
    organization: str
    log_id: str


def inbox(organization: str, status: str) -> str:
    """Return GSI1's partition of an organization's conversations of one status; sorted by last activity."""
    return f"ORG#{organization}#INBOX#{status}"


def unattached_files(hour: int) -> str:
    """Return GSI1's partition of the files that came in an hour (since the epoch) and that no message attaches."""
    return f"UNATTACHED#{hour}"


def customer_conversations(organization: str, customer_id: str) -> str:
    """Return GSI2's partition of one customer's conversations; sorted by start."""
    return f"ORG#{organization}#CUSCONVS#{customer_id}"
