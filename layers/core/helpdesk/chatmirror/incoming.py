"""What teammates write and press in a thread, where the mirror is two-way.

The speaker is the member with the same e-mail address as the person in the workspace. Everyone else reads a hint that
only they see. The rules are those of the API, whose functions are called.
"""

import re
from collections.abc import Mapping
from typing import Any

from helpdesk.admission.caller import Caller, Person
from helpdesk.approvals import service as approvals
from helpdesk.approvals.schemas import ApprovalDecision
from helpdesk.chatmirror import service, slack, texts
from helpdesk.chatmirror import thread_repository as threads
from helpdesk.chatmirror.record import Mode, Taken
from helpdesk.chatmirror.thread_repository import StaleThread
from helpdesk.conversations import service as conversations
from helpdesk.conversations import writing
from helpdesk.conversations.errors import ConversationNotFound
from helpdesk.conversations.record import Conversation
from helpdesk.conversations.schemas import ReplyInput
from helpdesk.conversations.state import Handler, Status, Transition
from helpdesk.integrations.accounts import Account
from helpdesk.integrations.outcomes import TryLater
from helpdesk.members import membership
from helpdesk.platform import clock
from helpdesk.platform.errors import AppError
from helpdesk.storage.transactions import Transaction, prepend_to_next_transaction

_MARKED = re.compile(r"<([^<>|]+)(?:\|([^<>]*))?>")
_CLICK_SECONDS = 5.0
_LATER_SECONDS = 3.0
_NO_MEMBER = "No member in Helpdesk has your e-mail address, so nothing was done. Ask an admin to invite you."
_CHANGED_HANDS = (
    "This was not sent to the customer: somebody has handed the conversation back, resolved it or taken it over since"
    " you pressed Take over. Press it again, or begin with a mention of the app. What you write now stays in Slack."
)
_TAKEN_FROM = (
    "{name} took over. What you write here stays in Slack, unless it begins with a mention of the app."
)
_NO_FILES = "Files stay in Slack: the customer gets the text alone."


def take_message(account: Account, data: Mapping[str, Any]) -> str:
    """Send a teammate's message to the customer, once; return the outcome."""
    connection, place = account.connection, (data["channel"], data["thread"])
    conversation_id = _conversation(account, *place)
    if conversation_id is None:
        return "no_thread"
    mention = f"<@{connection.details.get('bot')}>"
    text = str(data["text"]).lstrip()
    mentions, taken = text.startswith(mention), None
    if not mentions:
        taken = threads.taken(connection.organization, connection.account_id, *place)
        if taken is None or taken.person != data["user"]:
            _wait_for_a_click(data)
            return "among_the_team"
        if not _holds(taken, conversations.find(connection.organization, conversation_id)):
            outcome = _hint(account, data, _CHANGED_HANDS)
            threads.forget_taken(connection.organization, connection.account_id, *place, taken)
            return outcome
    speaker = _speaker(account, data["user"])
    if speaker is None or (taken is not None and _id(speaker) != taken.member):
        return _hint(account, data, _NO_MEMBER)
    return _sent(
        account, data, speaker, conversation_id, plain(text.removeprefix(mention) if mentions else text)
    )


def _sent(account: Account, data: Mapping[str, Any], speaker: Caller, conversation_id: str, body: str) -> str:
    connection = account.connection
    claim = Transaction()
    threads.claim_reply(
        claim, connection.organization, connection.account_id, data["channel"], data["message"]
    )
    try:
        with prepend_to_next_transaction(claim):
            writing.reply(speaker, conversation_id, ReplyInput(body=body))
    except StaleThread:
        return "sent_before"
    except AppError as error:
        return _hint(account, data, error.message)
    return _hint(account, data, _NO_FILES) if data["files"] else "sent"


def take_click(account: Account, data: Mapping[str, Any]) -> str:
    """Do what a button says, as the person who pressed it; return the outcome."""
    connection, place = account.connection, (data["channel"], data["thread"])
    conversation_id = _conversation(account, *place)
    if conversation_id is None:
        return "no_thread"
    speaker = _speaker(account, data["user"])
    if speaker is None:
        return _hint(account, data, _NO_MEMBER)
    action, organization, team = data["action"], connection.organization, connection.account_id
    claim = Transaction()
    threads.claim_click(claim, organization, team, data["click"])
    former = None
    try:
        if action == texts.TAKE_OVER:
            former = _take_over(claim, speaker, conversation_id, data, team)
        with prepend_to_next_transaction(claim):
            _do(action, speaker, conversation_id, data["value"])
        if action == texts.TAKE_OVER and not threads.was_clicked(organization, team, data["click"]):
            claim.commit()  # the team had the conversation already, so the transition wrote nothing
        if former is not None:
            taken_from = _TAKEN_FROM.format(name=speaker.the_person().name)
            _hint(account, {**data, "user": former.person}, taken_from)
    except StaleThread:
        return "done_before"
    except AppError as error:
        # A job that runs again finds the approval settled, by itself.
        if threads.was_clicked(organization, team, data["click"]):
            return "done_before"
        return _hint(account, data, error.message)
    return str(action)


def _take_over(
    claim: Transaction, speaker: Caller, conversation_id: str, data: Mapping[str, Any], team: str
) -> Taken | None:
    """Note who takes over; return who loses the conversation by that, None if nobody does."""
    organization, place = speaker.organization, (data["channel"], data["thread"])
    found = conversations.find(organization, conversation_id)
    if found is None:
        raise ConversationNotFound
    changes = found.state_changes + (
        0 if _is_teams(found) else 1
    )  # taking over is one, unless the team has it
    former = threads.taken(organization, team, *place)
    threads.take_over(claim, organization, team, *place, Taken(_id(speaker), data["user"], changes))
    if former is None or former.member == _id(speaker) or not _holds(former, found):
        return None
    return former


def _wait_for_a_click(data: Mapping[str, Any]) -> None:
    """Raise TryLater for a message so new that a click before it may still be on its way: jobs keep no order."""
    if clock.now_ms() / 1_000 - float(data["message"]) < _CLICK_SECONDS:
        raise TryLater("a click in the thread may be on its way", _LATER_SECONDS)


def _do(action: str, speaker: Caller, conversation_id: str, approval_id: str) -> None:
    if action == texts.TAKE_OVER:
        conversations.transition(speaker, conversation_id, Transition.TAKE_OVER)
    elif action == texts.RESOLVE:
        conversations.transition(speaker, conversation_id, Transition.RESOLVE)
    elif action == texts.APPROVE:
        approvals.approve(speaker, approval_id, ApprovalDecision())
    elif action == texts.DENY:
        approvals.deny(speaker, approval_id, ApprovalDecision())


def plain(text: str) -> str:
    """Return what Slack's markup says as text: addresses, names of channels and people, and the three characters."""
    shown = _MARKED.sub(_shown, text)
    return shown.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&").strip()


def _shown(found: re.Match[str]) -> str:
    target, label = found[1], found[2] or ""
    if target[0] == "!":
        return f"@{target[1:].partition('^')[0]}"
    if target[0] in "@#":
        return f"{target[0]}{label or target[1:]}"
    plainly = target.removeprefix("mailto:").removeprefix("https://").removeprefix("http://")
    if label == plainly:  # what was typed, of which Slack made a link
        return label
    return f"{label} ({target})" if label else target


def _conversation(account: Account, channel: str, thread: str) -> str | None:
    """Return the conversation of a thread, None where the mirror is not two-way."""
    connection = account.connection
    settings = service.settings(connection.organization)
    if not settings.enabled or settings.mode is not Mode.TWO_WAY:
        return None
    return threads.conversation_of(connection.organization, connection.account_id, channel, thread)


def _speaker(account: Account, user: str) -> Caller | None:
    """Return the member who has the e-mail address of a person of the workspace itself, or None."""
    connection = account.connection
    found = slack.read(account, "users.info", {"user": user})["user"]
    # A guest from a connected workspace has whatever address that workspace says.
    if found.get("team_id") != connection.account_id or found.get("is_bot") or found.get("deleted"):
        return None
    email = (found.get("profile") or {}).get("email") or ""
    member = membership.find(connection.organization, email) if "@" in email else None
    if member is None:
        return None
    person = Person(id=member.user_id, name=member.name, role=member.role, email=member.email)
    return Caller(organization=connection.organization, person=person)


def _id(speaker: Caller) -> str:
    return speaker.the_person().id


def _is_teams(found: Conversation) -> bool:
    return found.state.handled_by is Handler.TEAM and found.state.status is Status.OPEN


def _holds(taken: Taken, found: Conversation | None) -> bool:
    """Return whether a conversation is still the team's by that take-over."""
    return found is not None and _is_teams(found) and found.state_changes == taken.state_changes


def _hint(account: Account, data: Mapping[str, Any], text: str) -> str:
    said = {
        "channel": data["channel"],
        "user": data["user"],
        "thread_ts": data["thread"],
        "text": texts.escaped(text),
    }
    slack.write(account, "chat.postEphemeral", said, repeatable=True)
    return "hint"
