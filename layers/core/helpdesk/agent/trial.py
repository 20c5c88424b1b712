"""Asking the agent without a visitor: what it would answer, and what it found. Nothing is written or sent."""

from helpdesk.agent import repository
from helpdesk.agent.answerer import HandOff, Question, Reply, Turn
from helpdesk.agent.converse import ModelTrouble
from helpdesk.agent.handoff_intent import requests_human
from helpdesk.agent.reasons import Reason
from helpdesk.agent.schemas import TestAnswer, TestedPassage, TestQuestion
from helpdesk.agent.worker import QUESTION_CHARACTERS, chosen_answerer, language_of, passages_for
from helpdesk.knowledge.retrieval import Passage
from helpdesk.platform.errors import InvalidRequest
from helpdesk.platform.text import trimmed
from helpdesk.quotas import service as quotas
from helpdesk.quotas.errors import TokensSpent
from helpdesk.visitor_texts.catalog import TextName


def ask(organization: str, asked: TestQuestion) -> TestAnswer:
    """Return what the agent would write to a visitor whose first message this is, and the passages that it found.

    Calls: settings, deleted documents, index, and the models if the deployment has any. Raises InvalidRequest,
    BudgetExceeded.
    """
    text = trimmed(asked.question)
    if not text:
        raise InvalidRequest("`question` is empty.")
    if len(text) > QUESTION_CHARACTERS:
        raise InvalidRequest(f"`question` may have {QUESTION_CHARACTERS:,} characters.")
    own, texts = repository.get_with_texts(organization)
    sentences = texts.in_language(language_of([text]) or texts.language)
    passages = passages_for(organization, text)
    reply: Reply | HandOff
    if requests_human(text):
        reply = HandOff(Reason.ASKED_FOR_A_PERSON)
    elif passages is None:
        reply = HandOff(Reason.NO_KNOWLEDGE)
    else:
        try:
            asked_alone = [Turn(by_visitor=True, text=text)]
            reply = chosen_answerer()(Question(organization, text, asked_alone, passages, own, sentences))
        except TokensSpent as spent:
            raise quotas.budget_exceeded(spent) from None
        except ModelTrouble:
            reply = HandOff(Reason.MODEL_FAILED)
    handed_off = isinstance(reply, HandOff)
    return TestAnswer(
        outcome="hand_off" if handed_off else "answer",
        reason=reply.reason.value if isinstance(reply, HandOff) else None,
        body=reply.text if isinstance(reply, Reply) else sentences.write(TextName.HANDOFF, agent=own.name),
        passages=[_shown(passage) for passage in passages or ()],
    )


def _shown(passage: Passage) -> TestedPassage:
    return TestedPassage(
        document_id=passage.document_id,
        title=passage.title,
        heading=passage.heading,
        text=passage.text,
        score=passage.score,
    )
