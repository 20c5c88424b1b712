"""What surrounds the messages of a mail: whom it goes to, where replies go, its thread, its links and its sentences.

All of it is read when the mail is sent, and before the mail is marked: what can fail and be tried again comes first.
"""

from collections.abc import Sequence
from copy import replace

from helpdesk.accounts.organizations import service as organizations
from helpdesk.accounts.organizations.errors import OrganizationNotFound
from helpdesk.accounts.organizations.record import Organization
from helpdesk.agent import service as agent
from helpdesk.conversations import reply_addresses
from helpdesk.conversations import service as conversations
from helpdesk.conversations.errors import ConversationNotFound
from helpdesk.conversations.message_record import Message
from helpdesk.conversations.record import Channel, Conversation
from helpdesk.conversations.reply_addresses import AddressGiven
from helpdesk.customers import service as customers
from helpdesk.customers.errors import CustomerNotFound
from helpdesk.customers.record import Customer
from helpdesk.mail.names import safe_name
from helpdesk.mail.threading import Thread
from helpdesk.outreach import addressing
from helpdesk.outreach.addressing import To
from helpdesk.platform.record import Record
from helpdesk.platform.settings import settings
from helpdesk.site.visitors.record import of_slug
from helpdesk.visitor_texts.languages import Language
from helpdesk.visitor_texts.texts import Sentences, VisitorTexts


class Frame(Record):
    """What surrounds the messages of a mail. `newest` are the conversation's newest messages, oldest first."""

    sender: Organization
    customer: Customer
    conversation: Conversation
    newest: Sequence[Message]
    to: To
    texts: VisitorTexts

    @property
    def site(self) -> str:
        """The address of the organization's help site."""
        return of_slug(self.sender.id, self.sender.slug, settings().base_url).root

    @property
    def reply_to(self) -> str | None:
        """Where replies go: into the conversation, else to the support address."""
        return reply_addresses.of(self.conversation) or self.sender.support_email

    def link(self, page: str) -> str:
        """Return the link to a page of the customer's own."""
        return f"{self.site}/{page}/{reply_addresses.token_of(self.conversation)}"

    def thread(self, before: Message | None, *, is_automatic: bool, unsubscribe: str | None = None) -> Thread:
        """Return what a mail continues that begins with a message; None for one that has no message."""
        subject, came_in = None, addressing.newest_mail(self.newest)
        if self.conversation.channel is Channel.EMAIL:
            subject = self.conversation.subject if came_in is None else came_in.subject
            if not self.to.is_proven:
                subject = safe_name(subject)  # a stranger may have written it, to reach this address
        earlier = []
        if before is not None and self.to.is_proven:
            customer = self.to.name or self.customer.name or self.to.email
            earlier = addressing.quoted(self.newest, before, self.to.email, customer, self.sender.name)
        return Thread(
            self.conversation.id,
            self._page(),
            is_automatic=is_automatic,
            subject=subject,
            received=addressing.received(self.newest),
            earlier=earlier,
            unsubscribe=unsubscribe,
        )

    def sentences(self, message: Message | None) -> Sentences:
        """Return the organization's sentences in the customer's language, or else in that of the message or browser."""
        return self.texts.in_language(self._language(message) or self.texts.language)

    def _page(self) -> str | None:
        """Return the conversation's page on the organization's own help site, if it was begun there.

        Any other page is what a visitor's app says, and a stranger may have said it: no mail links to it.
        """
        contact = f"{self.site}/contact"
        if self.conversation.page is None or self.conversation.page.url != contact:
            return None
        return f"{contact}/{self.conversation.id}"

    def _language(self, message: Message | None) -> Language | None:
        if self.conversation.language is not None:
            return self.conversation.language
        # It compiles the patterns of seven languages, which invitations and most of these mails do without.
        from helpdesk.agent.conversation_language import clear_language, likely_language  # noqa: PLC0415

        context = self.conversation.context
        texts = [each.body for each in self.newest if each.by_visitor]
        if message is not None:
            texts = [message.body]
        return clear_language("\n".join(texts)) or likely_language(texts, context.locale if context else None)


def find(
    organization: str, customer_id: str, conversation_id: str, *, has_link: bool = False
) -> Frame | None:
    """Return the frame of a conversation's mails; None if it, its customer or their address is gone.

    Six reads. The first mail of a conversation also writes its token, if a reply address, a link or a notice needs it.
    """
    try:
        customer = customers.recipient(organization, customer_id)
        sender = organizations.get(organization)
        conversation = conversations.get(organization, conversation_id)
        newest = addressing.newest_messages(conversation)
        to = addressing.recipient(conversation, customer, newest)
        if to is None:
            return None
        is_notice = any(each.notice and each.mail is None for each in newest)
        if settings().inbound_mail_domain or has_link or is_notice:
            conversation = replace(conversation, reply_token=_token(conversation))
    except (CustomerNotFound, OrganizationNotFound, ConversationNotFound):
        return None
    texts = agent.settings_of(organization).texts
    return Frame(sender, customer.customer, conversation, newest, to, texts)


def _token(conversation: Conversation) -> str:
    try:
        return reply_addresses.token_of(conversation)
    except AddressGiven:
        # Another mail of the conversation was faster.
        return reply_addresses.token_of(conversations.get(conversation.organization, conversation.id))
