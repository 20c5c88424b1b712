"""Who speaks in a thread, where the mirror is two-way, and the hints that one person alone reads there.

The speaker is the member with the same e-mail address as the person in the workspace.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from helpdesk.accounts.members import membership
from helpdesk.api.admission.caller import Caller, Person
from helpdesk.conversations.record import Conversation
from helpdesk.conversations.state import Handler, Status
from helpdesk.integrations.accounts import Account
from helpdesk.integrations.slack import api as slack
from helpdesk.integrations.slack import instant_us, service, texts, threads
from helpdesk.integrations.slack.api import SlackError
from helpdesk.integrations.slack.record import Claim, SlackThreadOwner, owners

NO_MEMBER = "No member in Helpdesk has your e-mail address, so nothing was done. Ask an admin to invite you."
DONE_BEFORE, HINT = "done_before", "hint"
"""Outcomes: a repeated job found its work done; somebody read a hint."""

_NOBODY = frozenset({"user_not_found", "user_not_visible", "users_not_found"})


class Dialog(NamedTuple):
    """The conversation of a thread in which people reply, and since when (microseconds) what they write counts."""

    conversation_id: str
    since_us: int

    def counts(self, time_stamp: str) -> bool:
        """Return whether the mirror was two-way at a time stamp of Slack."""
        return instant_us(time_stamp) >= self.since_us


def dialog_of(account: Account, data: Mapping[str, Any], at: str) -> Dialog | None:
    """Return the conversation of a thread, None where the mirror was not two-way at a time stamp of Slack."""
    connection = account.connection
    settings = service.SETTINGS.get(connection.organization)
    if not settings.is_two_way:
        return None
    owner = owners.find(connection.organization, connection.account_id, data["channel"], data["thread"])
    if owner is None:
        return None
    found = Dialog(owner.conversation_id, settings.two_way_since * 1_000)
    return found if found.counts(at) else None


def speaker(account: Account, user: str) -> Caller | None:
    """Return the member who has the e-mail address of a person of the workspace itself, or None."""
    connection = account.connection
    try:
        found = slack.read(account, "users.info", {"user": user})["user"]
    except SlackError as error:
        if error.code in _NOBODY:
            return None
        raise
    # A guest from a connected workspace has whatever address that workspace says.
    if found.get("team_id") != connection.account_id or found.get("is_bot") or found.get("deleted"):
        return None
    if found.get("is_email_confirmed") is False:
        return None
    email = (found.get("profile") or {}).get("email") or ""
    member = membership.find(connection.organization, email) if "@" in email else None
    if member is None:
        return None
    person = Person(id=member.user_id, name=member.name, role=member.role, email=member.email)
    return Caller(organization=connection.organization, person=person)


def hint(account: Account, data: Mapping[str, Any], user: str, text: str) -> str:
    """Show a text to one person in a thread; return the outcome. Raises SlackError, Revoked, TryLater."""
    said = {
        "channel": data["channel"],
        "user": user,
        "thread_ts": data["thread"],
        "text": texts.escaped(text),
    }
    slack.write(account, "chat.postEphemeral", said, repeatable=True)
    return HINT


def hint_once(account: Account, data: Mapping[str, Any], claim: Claim) -> str:
    """Show the hint of a claim if nobody has; return the outcome. Raises Revoked, TryLater."""
    due = threads.claim_hint(claim)
    if due is None:
        return DONE_BEFORE
    try:
        outcome = hint(account, data, due.user, due.text)
    except SlackError as error:  # such as of a person who has left the channel
        outcome = f"refused: {error.code}"
    except Exception:
        threads.release_hint(claim)
        raise
    threads.note_hint_shown(claim)
    return outcome


def is_teams(found: Conversation) -> bool:
    """Return whether a conversation is open and the team's."""
    return found.state.handled_by is Handler.TEAM and found.state.status is Status.OPEN


def takeover_is_valid(taken: SlackThreadOwner, found: Conversation | None) -> bool:
    """Return whether a conversation is still the team's by a takeover."""
    return found is not None and is_teams(found) and found.state_changes == taken.state_changes
