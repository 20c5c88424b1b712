"""The answerer without a language model: it quotes the best passage, or hands off.

It invents nothing, costs nothing and needs no network, so it works on a laptop.
"""

import re

from helpdesk.agent import language_data
from helpdesk.agent.answerer import AskBack, HandOff, Question, Reply
from helpdesk.agent.intents import is_closing_message
from helpdesk.agent.language_data import normalize
from helpdesk.agent.reasons import Reason
from helpdesk.knowledge.language import language_of
from helpdesk.knowledge.markdown import HEADING_SEPARATOR
from helpdesk.knowledge.retrieval import CONFIDENT, Passage
from helpdesk.visitor_texts.catalog import TextName
from helpdesk.visitor_texts.languages import NAMES
from helpdesk.visitor_texts.texts import Sentences

_END = r"[\s!.,?…)(:;'\"👋🙂😊🙏👍❤️]*"
_GREETING = re.compile(
    "|".join(
        rf"¡?(?:{'|'.join(language.greeting)})(?:[\s,]+(?:{'|'.join(language.after_greeting)}))?{_END}"
        for language in map(language_data.load, language_data.CODES)
    )
)
_THANKS = re.compile(
    rf"(ok(ay)?,? |great,? |perfect,? )?(many thanks|thanks|thank you|thx|cheers|ty)( so much| a lot| very much)?"
    rf"( for (your|the) help)?{_END}",
    re.IGNORECASE,
)


def answer(question: Question) -> Reply | AskBack | HandOff:
    """Return a greeting for a mere greeting, quote the best passage if its score suffices, else ask back or hand off.

    It asks back where the best two documents are close, and one of them would suffice.
    """
    text, sentences = question.text.strip(), question.sentences
    agent = question.settings.name
    if _GREETING.fullmatch(normalize(text).replace("'", " ")):
        return Reply(sentences.write(TextName.GREETING, agent=agent))
    if _THANKS.fullmatch(text) or is_closing_message(text, agent):
        return Reply(sentences.write(TextName.THANKS, agent=agent))
    match question.passages:
        case [best, *_] if best.score >= CONFIDENT:
            return quote(best, text, sentences, agent)
        case [best, second, *_] if question.may_ask_back and best.either >= CONFIDENT:
            if best.title.casefold() != second.title.casefold():
                return AskBack((best, second))
    return HandOff(Reason.NOTHING_FOUND)


def quote(passage: Passage, text: str, sentences: Sentences, agent: str) -> Reply:
    """Return the answer to a question that quotes a passage."""
    return Reply(_quoted(passage, text, sentences, agent), (passage,))


def _quoted(passage: Passage, text: str, sentences: Sentences, agent: str) -> str:
    heading = passage.heading.rpartition(HEADING_SEPARATOR)[2]
    intro = TextName.ANSWER_INTRO_SECTION if heading else TextName.ANSWER_INTRO
    parts = [sentences.write(intro, title=passage.title, section=heading), passage.excerpt]
    if passage.more:
        parts.append(passage.more)
    if passage.language not in {sentences.language, language_of(text, [passage.language])}:
        parts.append(sentences.write(TextName.ANSWER_LANGUAGE, language=NAMES[passage.language]))
    if passage.url:
        parts.append(sentences.write(TextName.ANSWER_LINK, url=passage.url))
    parts.append(sentences.write(TextName.ANSWER_OUTRO, agent=agent))
    return "\n\n".join(parts)
