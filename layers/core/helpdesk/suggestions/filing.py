"""Files a suggestion that the agent's model makes during a conversation.

It is checked like any draft, joins an open suggestion of the same question, and counts towards the day's limit. A
teammate reviews it before anyone else reads it.
"""

from helpdesk.conversations.message_record import Message
from helpdesk.conversations.record import Conversation
from helpdesk.customers import service as customers
from helpdesk.knowledge.errors import MAX_TITLE_CHARACTERS
from helpdesk.platform.text import is_blank, one_line
from helpdesk.suggestions import learning
from helpdesk.suggestions.drafting import Declined, Draft, checked
from helpdesk.suggestions.errors import MAX_CHANGED_BYTES
from helpdesk.suggestions.exchanges import Exchange


def file(conversation: Conversation, question: Message, title: str, body: str) -> str:
    """File a document that answers a visitor's message; return the outcome in one word.

    A repeated call for the same message changes nothing. Raises Conflict.
    """
    heading = one_line(title, MAX_TITLE_CHARACTERS)
    if is_blank(heading) or is_blank(body) or len(body.encode()) > MAX_CHANGED_BYTES:
        return Declined.INCOMPLETE.value
    customer = customers.find(conversation.organization, conversation.customer_id)
    name = (None if customer is None else customer.name) or ""
    drafted = checked(Draft(heading, body.strip()), name)
    if isinstance(drafted, Declined):
        return drafted.value
    # Nobody of the team has answered it yet: what a person answers later extends the suggestion.
    exchange = Exchange(question=(question,), answer=(question,), reaction=None, unclear=False)
    return learning.put(conversation, exchange, drafted).value
