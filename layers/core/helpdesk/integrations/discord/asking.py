"""What members of a server type: /ask and /close.

A question is a message of a visitor, who is the asker, by the rules of POST /messages: it goes to their open
conversation, or begins one. Its answers have a place of their own: a thread at the question, or the channel itself
where no thread can be. Each step may be done again, and then finds itself done.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from helpdesk.conversations import service as conversations
from helpdesk.conversations.errors import MAX_BODY_CHARACTERS, ConversationNotFound
from helpdesk.conversations.messages import service as messages
from helpdesk.conversations.messages import visitors
from helpdesk.conversations.messages.schemas import ContextInput, MessageInput, PageInput
from helpdesk.conversations.record import Channel, Conversation
from helpdesk.customers.profile import UserInput
from helpdesk.events.integration_jobs import App
from helpdesk.integrations.accounts import Account
from helpdesk.integrations.discord import api as discord
from helpdesk.integrations.discord import feeds, service, texts
from helpdesk.integrations.discord.api import DiscordError
from helpdesk.integrations.discord.feeds import StaleFeed, TooManyQuestions
from helpdesk.integrations.discord.record import DiscordFeed, FeedKind, owners
from helpdesk.integrations.discord.texts import Phrase, language_for, phrase
from helpdesk.integrations.errors import Revoked
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.errors import AppError
from helpdesk.platform.text import as_name, is_blank
from helpdesk.storage.transactions import Transaction, prepend_to_next_transaction
from helpdesk.visitor_texts.languages import Language
from helpdesk.webhooks import following

_MAY_ANYTHING, _MAY_VIEW, _MAY_WRITE = 1 << 3, 1 << 10, 1 << 11
_MAY_MANAGE_THREADS, _MAY_BEGIN_THREADS, _MAY_WRITE_IN_THREADS = 1 << 34, 1 << 35, 1 << 38
_THREADS = frozenset({10, 11, 12})  # types of channels that are threads
_HAS_THREADS = frozenset({0, 5})  # in which a thread can begin at a message: text, announcements
_QUOTES = dict.fromkeys(map(ord, "“”"), "'")
_NO_SESSION = (
    "the hash of a person in a chat community: longer than any session token may be, so none has it ".ljust(
        129, "."
    )
)


class _Place(NamedTuple):
    """Where the answers of a conversation go."""

    channel: str
    answers: str | None


def ask(account: Account, data: Mapping[str, Any]) -> str:
    """Write a question, and make a place for its answers; return the outcome. Raises Revoked, TryLater."""
    connection, question = account.connection, str(data["question"])
    organization, server = connection.organization, connection.account_id
    language = _language(account, data)
    if not _may_write(data):
        return _refuse(account, data, phrase(Phrase.NO_PLACE, language))
    service.note_asked(connection)
    session_hash = asker(server, data["user"]["id"])
    try:
        conversation_id = _written(account, data, session_hash)
    except TooManyQuestions:
        return _refuse(account, data, phrase(Phrase.TOO_MANY, language))
    except AppError as error:
        return _refuse(account, data, _refusal_text(question, language) or error.message)
    found = None if conversation_id is None else conversations.find(organization, conversation_id)
    if found is None:
        return "gone"
    feed = feeds.of(organization, found.id, server).get(FeedKind.ANSWERS)
    if feed is not None and _is_there(account, data, feed):
        return _point_to(account, data, feed, "added")
    response = _respond(account, data, texts.question(question, language))
    shown = None if response is None else str(response["id"])
    try:
        place = _place(account, data, found, shown)
    except Revoked:
        # For when the connection is mended.
        _begin(account, data, found, _Place(data["channel"]["id"], shown), feed)
        raise
    return _begin(account, data, found, place, feed)


def close(account: Account, data: Mapping[str, Any]) -> str:
    """Close the conversation that has its answers here, or else the person's own; return the outcome."""
    connection, user = account.connection, data["user"]
    organization, server = connection.organization, connection.account_id
    language = _language(account, data)
    own = visitors.sessions.find(organization, asker(server, user["id"]))
    owner = owners.find(organization, server, data["channel"]["id"])
    here = None if owner is None else owner.conversation_id
    ids = {each: None for each in (here, own.current if own else None) if each is not None}
    found = conversations.by_ids(organization, ids=ids).values()
    theirs = [each for each in found if own is not None and each.session_hash == own.hash]
    if data["channel"]["type"] in _THREADS and here is not None and here not in {each.id for each in theirs}:
        if not user["may"] & (_MAY_MANAGE_THREADS | _MAY_ANYTHING):
            return _answer(account, data, phrase(Phrase.NOT_YOURS, language), "not_theirs")
        theirs = [each for each in found if each.id == here]
    if not theirs:
        return _answer(account, data, phrase(Phrase.NOTHING_OPEN, language), "nothing")
    wanted = next((each for each in theirs if each.accepts_visitor_messages), None)
    if wanted is None:
        return _answer(account, data, phrase(Phrase.CLOSED, language), "closed_before")
    name = as_name(str(user["name"])).translate(_QUOTES) or "Somebody"
    try:
        conversations.close_for_visitor(
            organization, wanted.id, f"“{name}” closed this conversation in Discord."
        )
    except AppError as error:
        return _answer(account, data, error.message, "refused")
    return _answer(account, data, phrase(Phrase.CLOSED, language), "closed")


def asker(server: str, user: str) -> str:
    """Return the hash under which a person of a server has their session. No session token has it."""
    return sha256_hex(f"{_NO_SESSION}{server}:{user}")


def _written(account: Account, data: Mapping[str, Any], session_hash: str) -> str | None:
    """Write the question, once; return its conversation's id, None if that was erased meanwhile."""
    connection = account.connection
    organization, server = connection.organization, connection.account_id
    claim = Transaction()
    feeds.claim_question(claim, organization, server, data["interaction"], data["user"]["id"])
    try:
        with prepend_to_next_transaction(claim):
            asked = _question(account, data)
            return messages.post_as(
                organization, session_hash, asked, channel=Channel.DISCORD
            ).conversation_id
    except StaleFeed:
        session = visitors.sessions.find(organization, session_hash)
        return None if session is None else session.current


def _question(account: Account, data: Mapping[str, Any]) -> MessageInput:
    user, channel, server = data["user"], data["channel"], account.connection
    avatar = (
        f"https://cdn.discordapp.com/avatars/{user['id']}/{user['avatar']}.png" if user["avatar"] else None
    )
    return MessageInput(
        session="",
        body=data["question"],
        user=UserInput(
            name=user["name"],
            avatarUrl=avatar,
            metadata={"Discord user": user["username"], "Discord server": server.account},
        ),
        context=ContextInput(locale=data.get("locale") or None),
        page=PageInput(
            url=f"https://discord.com/channels/{server.account_id}/{channel['id']}",
            title=f"#{channel['name']} of {server.account} in Discord",
        ),
    )


def _place(account: Account, data: Mapping[str, Any], found: Conversation, shown: str | None) -> _Place:
    """Return where the answers go: a thread at the question, or the channel in which it was asked."""
    channel, language = data["channel"], _language(account, data)
    question = shown
    if question is None:  # the response came too late, so the bot repeats the question
        said = texts.question(str(data["question"]), language)
        try:
            nonce = sha256_hex(f"question {data['interaction']}")[: discord.NONCE_CHARACTERS]
            question = str(discord.post(account, channel["id"], said, nonce)["id"])
        except DiscordError:
            return _Place(channel["id"], None)
    needed = _MAY_BEGIN_THREADS | _MAY_WRITE_IN_THREADS
    if channel["type"] in _HAS_THREADS and _may(data["may"], needed):
        try:
            return _Place(
                discord.start_thread(account, channel["id"], question, texts.thread_name(found, language)),
                None,
            )
        except DiscordError:
            pass  # the channel's threads are at their most, or its permissions changed
    return _Place(channel["id"], question)


def _is_there(account: Account, data: Mapping[str, Any], feed: DiscordFeed) -> bool:
    """Return whether the answers of a conversation have a place that is not deleted or hidden since.

    A bot that is out of the server comes back to the same place.
    """
    if feed.channel == data["channel"]["id"]:
        return True
    try:
        try:
            discord.look(account, feed.channel)
        except DiscordError:
            discord.channels(account)
            return False
    except Revoked:
        pass
    return True


def _point_to(account: Account, data: Mapping[str, Any], feed: DiscordFeed, outcome: str) -> str:
    language = _language(account, data)
    said = texts.further_question(str(data["question"]), data["channel"]["id"], feed.channel, language)
    return _answer(account, data, said, outcome)


def _begin(
    account: Account,
    data: Mapping[str, Any],
    found: Conversation,
    place: _Place,
    former: DiscordFeed | None,
) -> str:
    """Note the place, tell the team that what they reply is public, and let the answers follow."""
    connection, channel = account.connection, data["channel"]
    seen = former or DiscordFeed(
        organization=found.organization,
        conversation_id=found.id,
        server=connection.account_id,
        kind=FeedKind.ANSWERS,
        channel=place.channel,
    )
    wanted = seen.__replace__(
        channel=place.channel,
        asker=data["user"]["id"],
        answers=place.answers,
        posting=None,
        posting_at=0,
        slot_at=None,
    )
    where = f"#{channel['name']} of {connection.account}" if channel["name"] else connection.account
    line = f"This was asked in Discord, in {where}. Everybody who can read there reads your replies."
    follow = following.job(found.organization, App.DISCORD, found.id)
    try:
        feeds.save(seen, wanted, follow, lambda transaction: conversations.add_line(transaction, found, line))
    except ConversationNotFound:
        return "done_before"
    except StaleFeed:
        current = feeds.of(found.organization, found.id, connection.account_id).get(FeedKind.ANSWERS)
        if current is None or current.channel == place.channel:
            return "done_before"
        return _point_to(account, data, current, "added")  # another question of the person came first
    if former is not None:
        feeds.forget_place(former)
    return "asked"


def _language(account: Account, data: Mapping[str, Any]) -> Language:
    return language_for(account.connection.organization, data.get("locale"))


def _refusal_text(question: str, language: Language) -> str | None:
    """Return why a question is no message, if that is its length."""
    if is_blank(question):
        return phrase(Phrase.EMPTY, language)
    return phrase(Phrase.TOO_LONG, language) if len(question) > MAX_BODY_CHARACTERS else None


def _may_write(data: Mapping[str, Any]) -> bool:
    in_thread = data["channel"]["type"] in _THREADS
    return _may(data["may"], _MAY_VIEW | (_MAY_WRITE_IN_THREADS if in_thread else _MAY_WRITE))


def _may(granted: int, needed: int) -> bool:
    return bool(granted & _MAY_ANYTHING) or granted & needed == needed


def _refuse(account: Account, data: Mapping[str, Any], why: str) -> str:
    return _answer(account, data, texts.unanswerable(str(data["question"]), why), "refused")


def _answer(account: Account, data: Mapping[str, Any], said: str, outcome: str) -> str:
    _respond(account, data, said)
    return outcome


def _respond(account: Account, data: Mapping[str, Any], said: str) -> dict[str, Any] | None:
    return discord.respond(account.credentials, data["token"], said)
