"""Mail to the team about a mail to a customer that bounced, so that they find another way to reach them."""

from helpdesk.accounts.members.record import NotificationKind
from helpdesk.conversations.record import Conversation
from helpdesk.notifications.jobs import TeamNews
from helpdesk.storage.transactions import Transaction


def ask(transaction: Transaction, conversation: Conversation) -> None:
    """Ask for mails: to the assignee, or else to everyone who is notified of conversations that wait."""
    assignee = conversation.assignee
    news = TeamNews(
        conversation.organization,
        conversation.id,
        of_all=() if assignee else (NotificationKind.WAITING,),
        assignee=assignee,
        of_assignee=(NotificationKind.REPLY,) if assignee else (),
        bounced=True,
    )
    transaction.put(news.to_item(), new=True)
