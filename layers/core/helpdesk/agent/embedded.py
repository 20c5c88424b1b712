"""The answerer without a language model: it quotes the best passage, or hands off.

It invents nothing, costs nothing and needs no network, so it works on a laptop.
"""

import re

from helpdesk.agent.answerer import HandOff, Question, Reason, Reply
from helpdesk.knowledge.markdown import HEADING_SEPARATOR
from helpdesk.knowledge.retrieval import CONFIDENT, Passage

_END = r"[\s!.,?…)(:;'\"👋🙂😊🙏👍❤️]*"
_GREETING = re.compile(
    rf"(hi|hello|hey|good (morning|afternoon|evening|day)|hiya|howdy)( there| all| team)?{_END}",
    re.IGNORECASE,
)
_THANKS = re.compile(
    rf"(ok(ay)?,? |great,? |perfect,? )?(many thanks|thanks|thank you|thx|cheers|ty)( so much| a lot| very much)?"
    rf"( for (your|the) help)?{_END}",
    re.IGNORECASE,
)


def answer(question: Question) -> Reply | HandOff:
    """Return a greeting for a mere greeting, quote the best passage if its score suffices, else hand off."""
    text = question.text.strip()
    if _GREETING.fullmatch(text):
        return Reply("Hello! What can I help you with?")
    if _THANKS.fullmatch(text):
        return Reply("You're welcome! If anything else comes up, just write here.")
    if not question.passages or question.passages[0].score < CONFIDENT:
        return HandOff(Reason.NOTHING_FOUND)
    return Reply(_quoted(question.passages[0]))


def _quoted(passage: Passage) -> str:
    heading = passage.heading.rpartition(HEADING_SEPARATOR)[2]
    place = f"**{passage.title}**" + (f", under “{heading}”" if heading else "")
    parts = [f"Here is what I found in {place}:", passage.excerpt]
    if passage.url:
        parts.append(f"Read on: {passage.url}")
    parts.append("If this does not answer your question, say that you want a person and I will get the team.")
    return "\n\n".join(parts)
