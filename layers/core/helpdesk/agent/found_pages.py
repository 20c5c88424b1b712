"""The pages that the agent found for a question that it hands to the team.

The team sees all of them with their scores. The visitor sees those that may help meanwhile and that they can open.
"""

from collections.abc import Sequence

from helpdesk.agent.answerer import AskBack
from helpdesk.conversations.message_record import FoundPage
from helpdesk.knowledge import public_pages
from helpdesk.knowledge.retrieval import Passage
from helpdesk.visitor_texts.catalog import TextName
from helpdesk.visitor_texts.texts import Sentences

MOST_FOUND = 3

MAY_HELP = 0.2
"""The least score at which a page is shown to the visitor: of the pages above it, more than half are right where the
question has an answer. docs/evaluation/README.md has the figures."""

_NO_BRACKETS = str.maketrans("[]", "()")
_IN_ADDRESSES = str.maketrans({"(": "%28", ")": "%29"})


def of(organization: str, passages: Sequence[Passage], base_url: str) -> tuple[FoundPage, ...]:
    """Return the pages of the best passages as they are now, the best first. One call; none without passages."""
    best = passages[:MOST_FOUND]
    if not best:
        return ()
    present = public_pages.find(organization, [each.document_id for each in best], base_url)
    return tuple(
        FoundPage(
            each.document_id, present[each.document_id].title, present[each.document_id].url, each.score
        )
        for each in best
        if each.document_id in present
    )


def asked_about(organization: str, back: AskBack, base_url: str) -> tuple[FoundPage, ...]:
    """Return the pages of a question back; none if one of them is gone by now: then it is a hand-off. One call."""
    choices = of(organization, back.choices, base_url)
    return choices if len(choices) == len(back.choices) else ()


def hand_off_text(sentences: Sentences, agent: str, found: Sequence[FoundPage]) -> str:
    """Return what the visitor reads when the agent hands off, in Markdown."""
    handed_off = sentences.write(TextName.HANDOFF, agent=agent)
    links = [f"- {_linked(each, each.url)}" for each in found if each.url and each.score >= MAY_HELP]
    if not links:
        return handed_off
    return "\n\n".join([handed_off, sentences.write(TextName.HANDOFF_PAGES, agent=agent), "\n".join(links)])


def ask_back_text(sentences: Sentences, choices: Sequence[FoundPage]) -> str:
    """Return the question which of two pages the visitor means, in Markdown."""
    first, second = (
        f"**{_named(each)}**" if each.url is None else _linked(each, each.url) for each in choices
    )
    return sentences.write(TextName.ASK_BACK, first=first, second=second)


def _linked(page: FoundPage, url: str) -> str:
    """Return a link that chats, too, show as one: not all of them know escapes in it."""
    return f"[{_named(page)}]({url.translate(_IN_ADDRESSES)})"


def _named(page: FoundPage) -> str:
    return page.title.translate(_NO_BRACKETS)
