"""Asking the agent without a visitor: what it would answer, and what it found. Nothing is written or sent."""

from helpdesk.accounts.quotas import service as quotas
from helpdesk.accounts.quotas.errors import TokensSpent
from helpdesk.agent import bedrock, embedded, found_pages, repository
from helpdesk.agent.answerer import AskBack, HandOff, Question, Reply, Turn
from helpdesk.agent.converse import ModelTrouble
from helpdesk.agent.errors import MAX_QUESTION_CHARACTERS
from helpdesk.agent.intents import requests_human
from helpdesk.agent.letters import body_of
from helpdesk.agent.preparation import language_of, passages_for
from helpdesk.agent.reasons import Reason
from helpdesk.agent.schemas import TestAnswer, TestedPassage, TestQuestion
from helpdesk.platform.errors import InvalidRequest, at_most
from helpdesk.platform.settings import settings
from helpdesk.platform.text import trimmed


def ask(organization: str, asked: TestQuestion, base_url: str) -> TestAnswer:
    """Return what the agent would write to a visitor whose first message this is, and the passages that it found.

    Calls: settings, deleted documents, index, the pages that a hand-off shows, and the models if the deployment has
    any. Raises InvalidRequest, BudgetExceeded.
    """
    text = trimmed(asked.question)
    if not text:
        raise InvalidRequest("`question` must not be blank.")
    if len(text) > MAX_QUESTION_CHARACTERS:
        raise InvalidRequest(at_most("question", MAX_QUESTION_CHARACTERS))
    chosen = repository.settings_of(organization)
    sentences = chosen.texts.in_language(language_of([text]) or chosen.language)
    question_text = body_of(text)
    passages = passages_for(organization, question_text)
    reply: Reply | AskBack | HandOff
    if requests_human(text):
        reply = HandOff(Reason.ASKED_FOR_A_PERSON)
    elif passages is None:
        reply = HandOff(Reason.NO_KNOWLEDGE)
    else:
        try:
            asked_alone = [Turn(by_visitor=True, text=text)]
            question = Question(
                organization, question_text, asked_alone, passages, chosen, sentences, may_ask_back=True
            )
            reply = bedrock.answer(question) if settings().agent_model_id else embedded.answer(question)
        except TokensSpent as spent:
            raise quotas.budget_exceeded(spent) from None
        except ModelTrouble:
            reply = HandOff(Reason.MODEL_FAILED)
    tested = [TestedPassage.from_record(passage) for passage in passages or ()]
    if isinstance(reply, Reply):
        return TestAnswer(outcome="answer", reason=None, body=reply.text, passages=tested)
    if isinstance(reply, AskBack):
        choices = found_pages.asked_about(organization, reply, base_url)
        if choices:
            body = found_pages.ask_back_text(sentences, choices)
            return TestAnswer(outcome="ask_back", reason=None, body=body, passages=tested)
        reply = HandOff(Reason.NOTHING_FOUND)
    # As in a conversation, nothing is looked for where a person is wanted.
    shown = [] if reply.reason is Reason.ASKED_FOR_A_PERSON else passages or []
    body = found_pages.hand_off_text(sentences, chosen.name, found_pages.of(organization, shown, base_url))
    return TestAnswer(outcome="hand_off", reason=reply.reason.value, body=body, passages=tested)
