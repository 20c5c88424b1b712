"""What teammates press in a thread, where the mirror is two-way. The rules are those of the API, which is called."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from helpdesk.api.admission.caller import Caller
from helpdesk.conversations import service as conversations
from helpdesk.conversations.errors import ConversationNotFound
from helpdesk.conversations.state import Transition
from helpdesk.integrations.accounts import Account
from helpdesk.integrations.errors import TryLater
from helpdesk.integrations.slack import instant_us, replies, speaking, texts, threads
from helpdesk.integrations.slack.record import Hint, SlackClick, SlackThreadOwner
from helpdesk.integrations.slack.threads import StaleTakeover, StaleThread
from helpdesk.platform.errors import AppError
from helpdesk.storage.retrying import Conflict, repeat_when_stale
from helpdesk.storage.transactions import Transaction, prepend_to_next_transaction
from helpdesk.tools.approvals import service as approvals
from helpdesk.tools.approvals.schemas import ApprovalDecision

_BUSY_SECONDS = 1.0
_TAKEN_FROM = (
    "{name} took over. What you write here stays in Slack, unless it begins with a mention of the app."
)
_YOURS = (
    "You have this conversation. What you write in its thread is sent to the customer, until somebody hands it back,"
    " resolves it or takes it over."
)
_TAKEN_SINCE = (
    "A colleague pressed Take over after you. What you write here stays in Slack, unless it begins with a mention of"
    " the app."
)


class _Press(NamedTuple):
    """A click by a member: where, by whom, on which button with which value, and when by Slack's clock."""

    place: threads.Place
    thread: str
    speaker: Caller
    person: str
    action: str
    conversation_id: str
    value: str
    at: str
    claim: SlackClick

    @property
    def member(self) -> str:
        return self.speaker.the_person().id


def handle_click(account: Account, data: Mapping[str, Any]) -> str:
    """Do what a button says, as the person who pressed it; return the outcome. Raises SlackError, Revoked, TryLater."""
    connection = account.connection
    dialog = speaking.dialog_of(account, data, data["at"])
    if dialog is None:
        return "no_thread"
    if not _is_of(connection.organization, dialog.conversation_id, data["action"], data["value"]):
        return "of_another_thread"
    speaker = speaking.speaker(account, data["user"])
    if speaker is None:
        return speaking.hint(account, data, data["user"], speaking.NO_MEMBER)
    press = _Press(
        place=threads.Place(connection.organization, connection.account_id, data["channel"]),
        thread=data["thread"],
        speaker=speaker,
        person=data["user"],
        action=data["action"],
        conversation_id=dialog.conversation_id,
        value=data["value"],
        at=data["at"],
        claim=SlackClick(
            organization=connection.organization, team=connection.account_id, click=data["click"]
        ),
    )
    try:
        outcome = _taken_over(press) if press.action == texts.TAKE_OVER else _done(press)
    except StaleThread:
        outcome = speaking.DONE_BEFORE
    except AppError as error:
        # A job that runs again finds the approval settled, by itself.
        if threads.is_claimed(press.claim):
            return speaking.DONE_BEFORE
        return speaking.hint(account, data, data["user"], error.message)
    if press.action == texts.TAKE_OVER:
        speaking.hint_once(account, data, press.claim)
        replies.relay_earlier_replies(account, data)
    return outcome


def _is_of(organization: str, conversation_id: str, action: str, value: str) -> bool:
    """Return whether a button's value is the conversation of its thread, or an approval in it."""
    if action in {texts.APPROVE, texts.DENY}:
        return approvals.is_in(organization, value, conversation_id)
    return value == conversation_id


def _done(press: _Press) -> str:
    claim = Transaction()
    threads.put_claim(claim, press.claim)
    with prepend_to_next_transaction(claim):
        if press.action == texts.RESOLVE:
            conversations.transition(press.speaker, press.conversation_id, Transition.RESOLVE)
        elif press.action == texts.APPROVE:
            approvals.approve(press.speaker, press.value, ApprovalDecision())
        elif press.action == texts.DENY:
            approvals.deny(press.speaker, press.value, ApprovalDecision())
    return press.action


def _taken_over(press: _Press) -> str:
    try:
        # Of two who press at once, the later one has it.
        return repeat_when_stale(lambda: _try_to_take_over(press), StaleTakeover)
    except Conflict:
        raise TryLater("others take the conversation over", _BUSY_SECONDS) from None


def _try_to_take_over(press: _Press) -> str:
    """Take over, and note since when; who loses the conversation by that reads so, or who has it where no line says it.

    Raises StaleThread, StaleTakeover.
    """
    former = threads.takeover_of(*press.place, press.thread)
    found = conversations.find(press.place.organization, press.conversation_id)
    if found is None:
        raise ConversationNotFound
    claim = Transaction()
    if former is not None and instant_us(press.at) < instant_us(former.pressed_at or press.at):
        is_own = former.member == press.member
        threads.put_claim(claim, press.claim, None if is_own else Hint(press.person, _TAKEN_SINCE))
        claim.commit()
        return "late"
    changes = found.state_changes + (0 if speaking.is_teams(found) else 1)  # taking over is one change
    is_held = former is not None and speaking.takeover_is_valid(former, found)
    is_theirs = former is not None and is_held and former.member == press.member
    begins = former.at if former is not None and is_theirs else press.at
    organization, team, channel = press.place
    taken = SlackThreadOwner(
        organization=organization,
        team=team,
        channel=channel,
        thread=press.thread,
        conversation_id=press.conversation_id,
        member=press.member,
        person=press.person,
        state_changes=changes,
        at=begins,
        pressed_at=press.at,
    )
    shown = None
    if former is not None and is_held and not is_theirs:
        shown = Hint(former.person or "", _TAKEN_FROM.format(name=press.speaker.the_person().name))
    elif speaking.is_teams(found):  # nothing changes about the conversation, so no line in the thread says it
        shown = Hint(press.person, _YOURS)
    threads.put_claim(claim, press.claim, shown)
    threads.take_over(claim, taken, former)
    with prepend_to_next_transaction(claim):
        conversations.transition(press.speaker, press.conversation_id, Transition.TAKE_OVER)
    if not threads.is_claimed(press.claim):
        claim.commit()  # the team had the conversation already, so the transition wrote nothing
    return press.action
