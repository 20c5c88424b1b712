"""How many conversations each document has answered, for the help site.

A document that several answers of a conversation come from counts once. The number is kept with the document's page,
after the answer is written, so it is about right: an answer whose worker stops in between is not counted.
"""

from collections.abc import Iterable

from helpdesk.conversations.message_record import AnswerSource, Message
from helpdesk.knowledge import publishing
from helpdesk.platform.logging import logger
from helpdesk.storage.table import Throttled


def count(organization: str, sources: Iterable[AnswerSource], earlier: Iterable[Message]) -> None:
    """Count the documents that an answer comes from, without those of `earlier` messages of the conversation.

    One call, and one for each document; none without new documents.
    """
    known = {source.document_id for message in earlier for source in message.sources}
    cited = {source.document_id for source in sources} - known
    try:
        publishing.count_answered(organization, sorted(cited))
    except Throttled:
        logger.info("answered_not_counted")
