"""Tags of conversations, and which an organization uses.

A tag is stored in lower case, so that `VIP` and `vip` are one. Each tag that was used in the last year has an item of
its own, for people who choose one. It's written once a day at most, so that many who use a tag don't meet there.
"""

from collections.abc import Iterable, Sequence

from helpdesk.api.admission.caller import Caller
from helpdesk.api.http.pages import next_cursor, position
from helpdesk.conversations.errors import MAX_TAG_CHARACTERS, MAX_TAGS, InvalidTag
from helpdesk.conversations.record import Conversation, StaleConversation
from helpdesk.conversations.schemas import TagsAnswer, TagsQuery
from helpdesk.conversations.service import retry_on_conflict
from helpdesk.conversations.tag_record import UsedTag
from helpdesk.platform import clock
from helpdesk.platform.errors import InvalidRequest
from helpdesk.platform.text import one_line
from helpdesk.platform.units import DAY_MS, DAY_SECONDS
from helpdesk.storage import table
from helpdesk.storage.collection import Collection
from helpdesk.storage.transactions import Transaction

KEPT_SECONDS = 365 * DAY_SECONDS
_RESERVED = frozenset("#,")

_used = Collection(UsedTag)


def normalized(tag: str) -> str:
    """Return a tag as it is stored: in lower case, on one line. Raises InvalidTag."""
    stored = one_line(tag, len(tag)).lower()
    if not 0 < len(stored) <= MAX_TAG_CHARACTERS or _RESERVED & set(stored):
        raise InvalidTag
    return stored


def replace_tags(caller: Caller, conversation_id: str, tags: Sequence[str]) -> None:
    """Give a conversation these tags in place of those that it has; sends no event.

    Raises InvalidRequest, InvalidTag, ConversationNotFound, ConversationArchived.
    """
    if len(tags) > MAX_TAGS:
        raise InvalidRequest(f"`tags` must have at most {MAX_TAGS} entries.")
    wanted = tuple(dict.fromkeys(map(normalized, tags)))

    def write(transaction: Transaction, conversation: Conversation) -> None:
        if wanted == conversation.tags:
            return
        require = {"archived_at": None}
        transaction.change(
            conversation.key, set={"tags": wanted}, require=require, on_failure=StaleConversation
        )
        _note_use(transaction, caller.organization, set(wanted) - set(conversation.tags))

    retry_on_conflict(caller.organization, conversation_id, write)


def listed(caller: Caller, query: TagsQuery) -> TagsAnswer:
    """Return a page of the tags that were used in the last year, in alphabetical order. Raises InvalidCursor."""
    prefix = "" if query.prefix is None else one_line(query.prefix, MAX_TAG_CHARACTERS).lower()
    name = f"tags?{prefix!r}"
    before = position(caller, query, name)
    page = table.query(
        UsedTag.partition_for(caller.organization),
        sk_prefix=f"{UsedTag.sk_prefix()}{prefix}",
        limit=query.limit,
        after=None if before is None else UsedTag.key_for(caller.organization, before).attributes(),
    )
    now = clock.now_ms() // 1_000
    found = [UsedTag.from_item(item) for item in page.items]
    last = found[-1].tag if found and page.after is not None else None
    return TagsAnswer(
        tags=[each.tag for each in found if each.expires_at > now],
        next_cursor=next_cursor(caller, last, name),
    )


def _note_use(transaction: Transaction, organization: str, added: Iterable[str]) -> None:
    """Add to a transaction that tags are used, but for those that were noted in the last day. One batch read."""
    now = clock.now_ms()
    noted = _used.by_ids(organization, ids=sorted(added))
    for tag in sorted(added):
        if tag not in noted or noted[tag].used_at <= now - DAY_MS:
            expires_at = clock.seconds_from_now(KEPT_SECONDS)
            transaction.put(UsedTag(organization=organization, tag=tag, used_at=now, expires_at=expires_at))
