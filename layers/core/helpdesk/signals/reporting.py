"""Who reports a signal: a customer with the conversation in which they did, a customer alone, or a name."""

from copy import replace

from helpdesk.conversations import service as conversations
from helpdesk.conversations.errors import ConversationNotFound
from helpdesk.conversations.files.service import NO_ATTACHMENTS, Attachments
from helpdesk.conversations.record import Conversation
from helpdesk.customers import service as customers
from helpdesk.customers.errors import CustomerNotFound
from helpdesk.customers.record import Customer
from helpdesk.platform import clock
from helpdesk.platform.errors import InvalidRequest, one_to
from helpdesk.platform.record import Record
from helpdesk.platform.text import as_name
from helpdesk.signals import images, repository, service, titles
from helpdesk.signals.errors import MAX_IMAGES, MAX_QUOTE_CHARACTERS, MAX_WHO_CHARACTERS
from helpdesk.signals.images import Images
from helpdesk.signals.record import Report, Reporter, StaleSignal
from helpdesk.signals.schemas import ReportInput
from helpdesk.storage.stored import MalformedKey
from helpdesk.storage.transactions import Transaction

_MESSAGES_READ = 100
_VISITOR = "Visitor"
_CONVERSATIONS = 100


class NewReport(Record):
    """A checked report, ready to be written. `reporter` names no signal yet."""

    reporter: Reporter
    conversation: Conversation | None = None
    uploads: Attachments = NO_ATTACHMENTS

    def write_to(
        self,
        transaction: Transaction,
        signal_id: str,
        title: str,
        seen: Reporter | None = None,
        *,
        done_at: int | None = None,
    ) -> bool:
        """Add the report to the transaction of its signal, with its present title; return whether it says anything new.

        `seen` is what the same customer reported before: their first words stay, and the conversation is added. If they
        were notified, or the signal is done since `done_at` (ms), they are notified when it is done again. The
        transaction raises
        ConversationNotFound, CustomerNotFound, AttachmentMissing, StaleReporter.
        """
        new = replace(self.reporter, signal_id=signal_id, title=title)
        if seen is None:
            repository.put_reporter(transaction, new)
        else:
            both = self._joined(seen, new)
            is_after_fix = done_at is not None and seen.is_about(done_at)
            if both == seen and not is_after_fix:
                return False
            repository.save_reporter(
                transaction, seen, replace(both, again_at=new.reported_at, merged_at=None)
            )
        if self.conversation is not None:
            conversations.require(transaction, self.conversation)
        if new.customer_id is not None:
            customers.require(transaction, new.organization, new.customer_id)
        self.uploads.keep(transaction, new.organization, signal_id)
        return True

    def _joined(self, seen: Reporter, new: Reporter) -> Reporter:
        shown = images.joined(seen.images, new.images)
        known = {each.conversation_id for each in seen.conversations}
        added = tuple(each for each in new.conversations if each.conversation_id not in known)
        uploaded = {image.file_id for image in new.images if image.file_id is not None}
        if not uploaded <= {image.file_id for image in shown}:
            raise InvalidRequest(f"A reporter can have at most {MAX_IMAGES} images.")
        both = replace(
            seen,
            conversations=latest((*seen.conversations, *added)),
            quote=seen.quote or new.quote,
            quoted_in=seen.quoted_in if seen.quote else new.quoted_in,
            images=shown,
        )
        # The message that it is done is in their conversation, so from there they report it again.
        return replace(both, notified_at=None)


def checked(organization: str, sent: ReportInput) -> NewReport | None:
    """Return the report of a body, None if it names no reporter.

    With a conversation it costs three calls: the conversation, its customer and its newest messages. Raises
    InvalidRequest, ConversationNotFound, CustomerNotFound, AttachmentMissing, AttachmentWrongType.
    """
    quote = titles.text("quote", sent.quote, MAX_QUOTE_CHARACTERS)
    named = [each for each in (sent.conversation_id, sent.customer_id, sent.who) if each is not None]
    if len(named) > 1:
        raise InvalidRequest(
            "Send only one of `conversationId`, `customerId` and `who`. Each identifies the reporter."
        )
    if not named:
        if quote or sent.images:
            raise InvalidRequest(
                "`quote` and `images` require a reporter. Identify them with `conversationId`, `customerId` or `who`."
            )
        return None
    found = images.checked(organization, sent.images)
    if sent.conversation_id is not None:
        return _in_conversation(organization, sent.conversation_id, quote, found)
    if sent.customer_id is not None:
        customer = _customer(organization, sent.customer_id)
        if customer is None:
            raise CustomerNotFound
        return NewReport(
            _reporter(organization, customer.id, _name(customer), quote, found), None, found.uploads
        )
    who = as_name(sent.who or "")
    if not who or len(who) > MAX_WHO_CHARACTERS:
        raise InvalidRequest(one_to("who", MAX_WHO_CHARACTERS))
    return NewReport(_reporter(organization, None, who, quote, found), None, found.uploads)


def required(organization: str, sent: ReportInput) -> NewReport:
    """Return the report of a body that must name a reporter. Raises what `checked` raises."""
    found = checked(organization, sent)
    if found is None:
        raise InvalidRequest("Send one of `conversationId`, `customerId` and `who`.")
    return found


def reported_before(organization: str, signal_id: str, customer_id: str, instant: int) -> bool:
    """Return whether a customer reported a signal before an instant (ms). One read."""
    seen = repository.reporters.find(organization, signal_id, customer_id)
    return seen is not None and seen.reported_at <= instant


def add_images(organization: str, conversation_id: str) -> str:
    """Add the images that a customer sent in a conversation to their reports in it; return the outcome, for the log.

    Raises what the queue is to try again: a report that was notified, or a signal that was changed meanwhile.
    """
    try:
        conversation = conversations.get(organization, conversation_id)
    except ConversationNotFound:
        return "gone"
    reports = [
        each
        for each in repository.reports_of_customer(organization, conversation.customer_id)
        if conversation_id in {report.conversation_id for report in each.conversations}
    ]
    if not reports:
        return "not_reported"
    sent = images.screenshots(conversations.newest_messages(conversation, _MESSAGES_READ))
    for seen in reports:
        shown = images.joined(seen.images, sent)
        if len(shown) <= len(seen.images):
            continue
        transaction = Transaction()
        signal = service.get(organization, seen.signal_id)
        transaction.require(signal.key, {"version": signal.version}, on_failure=StaleSignal)
        repository.save_reporter(transaction, seen, replace(seen, images=shown))
        transaction.commit()
    return "added"


def latest(conversations_of: tuple[Report, ...]) -> tuple[Report, ...]:
    """Return the conversations that are kept of one reporter: the last 100."""
    return conversations_of[-_CONVERSATIONS:]


def _in_conversation(organization: str, conversation_id: str, quote: str, found: Images) -> NewReport:
    try:
        conversation = conversations.get(organization, conversation_id)
    except MalformedKey:
        raise ConversationNotFound from None
    who = _name(_customer(organization, conversation.customer_id))
    sent = images.screenshots(conversations.newest_messages(conversation, _MESSAGES_READ))
    reporter = replace(
        _reporter(organization, conversation.customer_id, who, quote, found),
        conversations=(Report(conversation.id, conversation.subject),),
        quoted_in=conversation.id if quote else None,
        images=images.joined(found.shown, sent),
    )
    return NewReport(reporter, conversation, found.uploads)


def _reporter(organization: str, customer_id: str | None, who: str, quote: str, found: Images) -> Reporter:
    return Reporter(
        organization=organization,
        signal_id="",
        customer_id=customer_id,
        who=who,
        conversations=(),
        quote=quote,
        images=found.shown,
        reported_at=clock.now_ms(),
        title="",
    )


def _customer(organization: str, customer_id: str) -> Customer | None:
    try:
        return customers.find(organization, customer_id)
    except MalformedKey:
        return None


def _name(customer: Customer | None) -> str:
    if customer is None:
        return _VISITOR
    return as_name(customer.name or customer.email or "", MAX_WHO_CHARACTERS) or _VISITOR
