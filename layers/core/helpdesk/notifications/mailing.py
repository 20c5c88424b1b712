"""Mailing a teammate what waits for them. Everything in it is read when it's sent."""

from helpdesk.accounts.members import membership
from helpdesk.accounts.members.record import Member, NotificationKind
from helpdesk.accounts.organizations import service as organizations
from helpdesk.accounts.organizations.errors import OrganizationNotFound
from helpdesk.conversations import service as conversations
from helpdesk.customers import service as customers
from helpdesk.mail import allowance
from helpdesk.mail import service as mail
from helpdesk.mail.errors import MailNotSetUp, MailRefused
from helpdesk.notifications.jobs import TeamMail, TeamNews
from helpdesk.platform.errors import RateLimited
from helpdesk.storage.transactions import Transaction

MOST_MEMBERS = 90
"""How many members one conversation is mailed to: the first by ID."""
MOST_MESSAGES = 3
"""How many of the visitor's newest messages a mail has."""


def ask(news: TeamNews) -> mail.Outcome:
    """Ask for the mail of each member who wants to know any of it, as far as the organization's bucket goes.

    What isn't mailed is in the inbox anyway.
    """
    transaction = Transaction()
    for user_id, reasons in _recipients(news).items():
        try:
            allowance.charge(news.organization, allowance.TEAM)
        except RateLimited:
            break
        wanted = TeamMail(
            news.organization, news.conversation_id, user_id, sorted(reasons), bounced=news.bounced
        )
        transaction.put(wanted.to_item(), new=True)
    transaction.commit()
    return mail.Outcome.SENT


def _recipients(news: TeamNews) -> dict[str, set[NotificationKind]]:
    """Return the members who want to know any of it, with what they want to know."""
    members: list[Member]
    if news.of_all:
        members = membership.members.page(news.organization, limit=MOST_MEMBERS).records
    else:
        found = membership.find(news.organization, news.assignee or "")
        members = [] if found is None else [found]
    wanted = {}
    for member in members:
        of_theirs = {*news.of_all, *(news.of_assignee if member.user_id == news.assignee else ())}
        if reasons := of_theirs & member.notified_of:
            wanted[member.user_id] = reasons
    return wanted


def send(wanted: TeamMail) -> mail.Outcome:
    """Send a mail about a conversation to somebody who still is a member.

    Raises MailNotSent if the queue is to try again.
    """
    member = membership.find(wanted.organization, wanted.user_id)
    conversation = conversations.find(wanted.organization, wanted.conversation_id)
    if member is None or conversation is None:
        return mail.Outcome.NO_LONGER_PENDING
    try:
        organization = organizations.get(wanted.organization)
    except OrganizationNotFound:
        return mail.Outcome.NO_LONGER_PENDING
    customer = customers.find(wanted.organization, conversation.customer_id)
    newest = conversations.newest_messages(conversation, MOST_MESSAGES)
    written = [message.body for message in reversed(newest) if message.by_visitor and message.body]
    try:
        mail.send_team_notice(
            member.email,
            _BOUNCED if wanted.bounced else _REASONS[min(wanted.reasons, key=list(_REASONS).index)],
            organization=organization.name,
            customer=customer.name if customer else None,
            conversation_id=conversation.id,
            about=conversation.subject,
            messages=written,
        )
    except MailRefused:
        return mail.Outcome.REFUSED
    except MailNotSetUp:
        return mail.Outcome.NOT_SET_UP
    return mail.Outcome.SENT


_BOUNCED = "A mail to {customer} bounced"
_REASONS = {
    NotificationKind.APPROVAL: "A tool call for {customer} waits for an approval",
    NotificationKind.ASSIGNED: "You were assigned the conversation with {customer}",
    NotificationKind.REPLY: "{customer} replied",
    NotificationKind.WAITING: "{customer} is waiting for an answer",
}
"""Subjects by reason, the most urgent first."""
