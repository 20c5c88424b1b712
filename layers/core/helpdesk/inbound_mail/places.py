"""Where a mail belongs: whose address it was sent to, and which conversation it answers.

`<slug>@` is an organization's address, `r+<token>@` that of a conversation. A mail program that drops the reply address
mostly keeps In-Reply-To and References, which name our mails or the customer's own. A mail that has neither, but a
subject with "Re:", answers the sender's newest conversation with that subject.
"""

import re
from collections.abc import Iterable, Mapping

from helpdesk.accounts.organizations import service as organizations
from helpdesk.conversations import reply_addresses
from helpdesk.conversations import service as conversations
from helpdesk.conversations.message_record import MailEntry, mail_hash
from helpdesk.conversations.messages import visitors
from helpdesk.conversations.record import Channel, Conversation
from helpdesk.inbound_mail.parsing import ReceivedMail
from helpdesk.mail import threading
from helpdesk.platform.record import Record
from helpdesk.platform.settings import settings
from helpdesk.storage.collection import Collection
from helpdesk.storage.stored import MalformedKey

_REFERENCES = 20
_SAME_SUBJECT_AMONG = 10
_ROOT = re.compile(r"(conv_[0-9a-z]{26})@")
_received = Collection(MailEntry)


class Place(Record):
    """Whose mail it is. `conversation_id` is the one whose reply address it was sent to."""

    organization: str
    conversation_id: str | None = None


class Answered(Record):
    """The conversation that a mail answers. `by_token` says that it was sent to the reply address."""

    conversation: Conversation
    by_token: bool


def of_recipients(recipients: Iterable[str]) -> list[Place]:
    """Return the places of a mail's envelope recipients, one for an organization: a conversation before it alone.

    Up to two calls for a recipient. An address that nobody has leads nowhere.
    """
    found: dict[str, Place] = {}
    for address in recipients:
        place = _place(address)
        if place is not None and (place.conversation_id or place.organization not in found):
            found[place.organization] = place
    return list(found.values())


def answered(place: Place, mail: ReceivedMail, address: str, *, is_verified: bool) -> Answered | None:
    """Return the conversation that a mail answers, by its address, else by what it refers to. Up to three calls.

    It's from an `address` that is verified or not.
    """
    if place.conversation_id is not None and (found := _found(place.organization, [place.conversation_id])):
        return Answered(next(iter(found.values())), by_token=True)
    wanted = [name for name in (_conversation_in(each) for each in mail.references) if name]
    hashes = [mail_hash(address, each, is_verified=is_verified) for each in mail.references[:_REFERENCES]]
    if hashes:
        own = _received.by_ids(place.organization, ids=hashes)
        wanted += [own[each].conversation_id for each in hashes if each in own]
    known = _found(place.organization, wanted[:_REFERENCES])
    newest = max(known.values(), key=lambda each: each.last_message_at, default=None)
    return None if newest is None else Answered(newest, by_token=False)


def same_subject(organization: str, session_hash: str, subject: str) -> Conversation | None:
    """Return the newest open conversation of a session that began by mail with the subject of an answer. Two calls."""
    bare = threading.bare(subject)
    if bare == subject.strip() or not bare:
        return None
    newest = visitors.newest_conversations(organization, session_hash, _SAME_SUBJECT_AMONG)
    for each in _found(organization, newest).values():
        is_open_mail = each.channel is Channel.EMAIL and each.accepts_visitor_messages
        if is_open_mail and threading.bare(each.subject).casefold() == bare.casefold():
            return each
    return None


def is_own(address: str) -> bool:
    """Return whether an address is one of this deployment: its mails are not answered by itself."""
    domain = address.rpartition("@")[2].lower()
    return address.lower() == settings().mail_from.lower() or domain == settings().inbound_mail_domain.lower()


def _place(address: str) -> Place | None:
    local, _, domain = address.lower().rpartition("@")
    if domain != settings().inbound_mail_domain.lower():
        return None
    if local.startswith(reply_addresses.PREFIX):
        named = reply_addresses.find(local.removeprefix(reply_addresses.PREFIX))
        return None if named is None else Place(named.organization, named.conversation_id)
    try:
        organization = organizations.holder_of(local.partition("+")[0])
    except MalformedKey:
        return None
    return None if organization is None else Place(organization)


def _conversation_in(reference: str) -> str | None:
    root = _ROOT.match(reference)
    return None if root is None else root[1]


def _found(organization: str, ids: Iterable[str]) -> Mapping[str, Conversation]:
    found = conversations.by_ids(organization, ids=dict.fromkeys(ids)).values()
    return {each.id: each for each in conversations.where_they_ended(organization, found)}
