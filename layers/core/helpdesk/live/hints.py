"""Hints: what changed, from the table's stream, as the live connections of an organization receive it.

A hint names what to fetch and has nothing of its content. It's best effort: a lost one costs its client a poll.
"""

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from helpdesk.platform.logging import log_unreadable
from helpdesk.platform.record import Record
from helpdesk.storage.stored import Stored
from helpdesk.storage.wire import from_wire

type Frame = dict[str, str]
"""What a connection receives, as JSON."""

MOST_MESSAGES = 5
"""The messages that hints of one conversation name at once: a client fetches them together."""
_VISIBLE = ("status", "handledBy", "lastSpeaker", "newestMessageId", "rating", "archivedAt")
"""What a visitor sees of a conversation, or what that is made of."""


class Hint(Record, omit_defaults=True):
    """What changed in a conversation: the frames for teammates, and those for its visitor, if there are any."""

    organization: str
    conversation_id: str
    team: tuple[Frame, ...]
    session_hash: str | None = None
    visitor: tuple[Frame, ...] = ()


class Leaving(Record):
    """A person who is no longer a member: their connections end."""

    organization: str
    user_id: str


class Hints(Record, omit_defaults=True):
    """What the fan-out sends to the function that posts to connections."""

    changed: tuple[Hint, ...] = ()
    left: tuple[Leaving, ...] = ()

    @property
    def organizations(self) -> set[str]:
        """The organizations that something changed in."""
        return {each.organization for each in self.changed} | {each.organization for each in self.left}

    def of(self, organizations: Container[str]) -> "Hints | None":
        """Return the part that is about some organizations, None if nothing is."""
        changed = tuple(each for each in self.changed if each.organization in organizations)
        left = tuple(each for each in self.left if each.organization in organizations)
        return Hints(changed, left) if changed or left else None


NO_HINTS = Hints()


class _Conversation(Stored):
    VIEW_OF = "Conversation"
    PK, SK = "ORG#{organization}#CONV#{id}", "CONV"


class _Message(Stored):
    VIEW_OF = "Message"
    PK, SK = "ORG#{organization}#CONV#{conversation_id}", "MSG#{id}"


class _Note(Stored):
    VIEW_OF = "Note"
    PK, SK = "ORG#{organization}#CONV#{conversation_id}", "NOTE#{id}"


class _Approval(Stored):
    VIEW_OF = "Approval"
    PK, SK = "ORG#{organization}#APPROVAL", "APPROVAL#{id}"


class _Member(Stored):
    VIEW_OF = "Member"
    PK, SK = "ORG#{organization}#MEMBER", "MEMBER#{user_id}"


@dataclass(slots=True)
class _Changes:
    """What changed in one conversation."""

    messages: dict[str, bool] = field(default_factory=dict)  # whether the visitor sees it
    approvals: dict[str, None] = field(default_factory=dict)
    session_hash: str | None = None
    visible: bool = False


type _Found = defaultdict[tuple[str, str], _Changes]


def is_outbox(record: Mapping[str, Any]) -> bool:
    """Return whether a record is also, or only, an item of the outbox. One that nothing is known of is."""
    change = record.get("dynamodb", {})
    return record.get("eventName", "INSERT") == "INSERT" and "entity" in change.get(
        "NewImage", {"entity": {}}
    )


def collect(records: Iterable[Mapping[str, Any]]) -> Hints:
    """Return the hints of records of the stream, and who has left. A record that cannot be read gives none."""
    found: _Found = defaultdict(_Changes)
    left: dict[Leaving, None] = {}
    for record in records:
        try:
            change = record["dynamodb"]
            pk, sk = (change["Keys"][half]["S"] for half in ("PK", "SK"))
            if record["eventName"] != "REMOVE":
                _note(found, pk, sk, change)
            elif (parts := _Member.parse(pk, sk)) is not None:
                left[Leaving(parts["organization"], parts["user_id"])] = None
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            log_unreadable(record.get("dynamodb", {}).get("Keys"), error)
    return Hints(tuple(_hint(*key, each) for key, each in found.items()), tuple(left))


def _note(found: _Found, pk: str, sk: str, change: Mapping[str, Any]) -> None:
    if (parts := _Conversation.parse(pk, sk)) is not None:
        before, after = (from_wire(change.get(image, {})) for image in ("OldImage", "NewImage"))
        conversation = found[parts["organization"], parts["id"]]
        conversation.session_hash = after.get("sessionHash")
        conversation.visible |= any(before.get(name) != after.get(name) for name in _VISIBLE)
    elif (parts := _Message.parse(pk, sk)) is not None:
        found[parts["organization"], parts["conversation_id"]].messages[parts["id"]] = True
    elif (parts := _Note.parse(pk, sk)) is not None:
        found[parts["organization"], parts["conversation_id"]].messages[parts["id"]] = False
    elif (parts := _Approval.parse(pk, sk)) is not None:
        conversation_id: str = change["NewImage"]["conversationId"]["S"]
        found[parts["organization"], conversation_id].approvals[parts["id"]] = None


def _hint(organization: str, conversation_id: str, changes: _Changes) -> Hint:
    of = {"conversationId": conversation_id}

    def frames(messages: list[str], *, otherwise: bool) -> list[Frame]:
        found: list[Frame] = [
            {"type": "message", **of, "messageId": each} for each in messages[-MOST_MESSAGES:]
        ]
        return found or ([{"type": "conversation", **of}] if otherwise else [])

    approvals: list[Frame] = [{"type": "approval", **of, "approvalId": each} for each in changes.approvals]
    seen = [each for each, visible in changes.messages.items() if visible]
    return Hint(
        organization=organization,
        conversation_id=conversation_id,
        team=(*frames([*changes.messages], otherwise=not approvals), *approvals),
        session_hash=changes.session_hash,
        visitor=tuple(frames(seen, otherwise=changes.visible)) if changes.session_hash else (),
    )
