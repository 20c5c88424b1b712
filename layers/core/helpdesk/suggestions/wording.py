"""Reading people's answers without a model: courtesy is cut, and what concerns one customer only is recognized.

The patterns are for English, like the word lists of `knowledge`. In other languages nothing is suggested without a
model (see `drafting`).
"""

import re
from collections.abc import Sequence

from helpdesk.knowledge.errors import MAX_TITLE_CHARACTERS
from helpdesk.platform.text import as_name

_GREETED = r"(?:\s+(?:there|all|team|everyone|again|(?-i:[A-ZÀ-Þ])[\w'.-]*))"
_GREETING = re.compile(
    rf"(?:hi|hello|hey|hiya|dear|good (?:morning|afternoon|evening|day)){_GREETED}{{0,3}}\s*(?:[,!.:–—-]+\s*|$)",
    re.IGNORECASE,
)
_INTERJECTION = re.compile(
    r"(?:sure(?: thing)?|of course|absolutely|certainly|no problem|no worries|great|thanks|thank you)\s*[,!.:–—-]+\s*",
    re.IGNORECASE,
)
_OPENING = re.compile(
    r"(?:thanks|thank you|many thanks)(?: so much| a lot)? (?:for|so much for)\b.*"
    r"|(?:that's a |that is a )?(?:great|good) question\b.*"
    r"|(?:i'm |i am |we're |we are )?(?:so |very |really )?sorry (?:for|about|to hear|that you)\b.*"
    r"|(?:my |our )?apologies\b.*|i apologi[sz]e\b.*"
    r"|(?:i )?hope (?:you(?:'re| are)|this finds)\b.*"
    r"|(?:i'm |we're )?(?:happy|glad) to help\b.*"
    r"|my name is\b.*|(?:this is|i'm|i am) (?-i:[A-Z])\w+ (?:from|of|and i)\b.*",
    re.IGNORECASE,
)
_NAME = re.compile(r"[A-Z][\w'.-]*(?: (?:[A-Z]|of\b|the\b|and\b|&)[\w'.-]*){0,4}")
_CLOSING = re.compile(
    r"(?:(?:best|kind|warm|warmest|many)(?: regards| wishes)?|regards|cheers|thanks|thank you|sincerely|all the best"
    r"|take care|yours(?: sincerely| truly| faithfully)?|bye(?: for now)?)\b[\s,!.]*(?:(?-i:[A-Z])[\w'.-]*\s*){0,3}"
    r"[.!]?"
    r"|(?:with )?(?:best|kind|warm|warmest) (?:regards|wishes)\b.{0,60}"
    r"|(?:please )?(?:just )?(?:let (?:me|us) know|feel free|don'?t hesitate|do not hesitate|get in touch|reach out"
    r"|reply here|write (?:to )?us|ping (?:me|us)|shout)\b.*\b(?:if|to ask|any|again|back|else|how)\b.*"
    r"|(?:i )?hope (?:this|that|it) helps\b.*"
    r"|(?:does|did|do) (?:this|that|it)\b.*\b(?:help|work|answer|make sense)\b.*\?"
    r"|(?:is there|was there|do you have|can i help you with)?\s*(?:anything|something) else\b.*"
    r"|(?:do you have )?any (?:other|more|further) questions\b.*"
    r"|if you (?:have|need|get|run into) (?:any|more|further|other)\b.*"
    r"|(?:have|enjoy) (?:a|the rest of)\b.{0,40}"
    r"|[—–-]{1,2}\s*\w+(?: \w+){0,2}|sent from my \w+|(?:the|your) .{1,40} team\.?",
    re.IGNORECASE,
)
_PROMISE = re.compile(
    r"\b(?:i|we)(?:'ll| will| are going to|'re going to| am going to|'m going to)\b.{0,60}\b(?:look|check|get back|"
    r"investigate|find out|ask|let you know|follow up|escalate|forward|pass|keep you|update you|see what|"
    r"fix|come back|be in touch)\b"
    r"|\blet (?:me|us) (?:just )?(?:look|check|see|find|ask|investigate|have a look|take a look|get back)\b"
    r"|\b(?:i'm|i am|we're|we are) (?:currently |still )?(?:looking into|checking|investigating|working on)\b"
    r"|\b(?:looking into (?:it|this|that))\b"
    r"|\b(?:one|just a) (?:moment|second|sec|minute)(?:,? please)?[.!…]*$|\bbear with (?:me|us)\b"
    r"|\bstay tuned\b|\bplease wait\b",
    re.IGNORECASE,
)
_DONE_FOR_YOU = re.compile(
    r"\b(?:i|we)(?:'ve| have|'d| had)?(?: just| now| already| also| gone ahead and)* (?:gone ahead|refunded|cancell?ed|"
    r"reset|activated|enabled|disabled|updated|changed|fixed|sent|resent|shipped|extended|added|removed|credited|"
    r"merged|deleted|restored|escalated|forwarded|checked|looked|asked|found|talked|spoke|adjusted|applied|issued|"
    r"processed|upgraded|downgraded|unlocked|blocked|corrected|replaced|reported)\b"
    r"|\b(?:your|the) (?:order|parcel|package|refund|payment|invoice|ticket|shipment|delivery|account|booking)"
    r" (?:has|have|was|were|had|is now|is being|is on its way|is in transit|will be|should (?:arrive|be))\b"
    r"|\bin your (?:case|account i)\b|\bi can see (?:that|your|in)\b|\bi see (?:that )?your?\b",
    re.IGNORECASE,
)
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_PERSONAL = {
    "an e-mail address": re.compile(r"[^\s@<>()]+@[^\s@<>()]+\.\w+"),
    "a number": re.compile(
        # an order "#4711", "no. 4711" or "order 4711"; five digits together; a code such as "INV-2291"
        r"#\s?\d{3,}|\b(?:order|invoice|ticket|account|customer|booking|tracking|case|reference|ref|contract|policy)"
        r"(?:\s*(?:id|no|nr|number|code)\b\.?)?\s*[:#]?\s*(?=[\w-]*\d{3})[\w-]+|\b(?:no|nr)\.\s*\d{3,}"
        r"|\d{5,}|(?:\d[ -]?){8,}\d|(?-i:\b[A-Z]{2,}[A-Z0-9]*-?\d{3,}\b)",
        re.IGNORECASE,
    ),
    "a date": re.compile(
        rf"\b\d{{4}}-\d\d?-\d\d?\b|\b\d{{1,2}}[./]\d{{1,2}}[./]\d{{2,4}}\b"
        rf"|\b{_MONTH}\.? \d{{1,2}}(?:st|nd|rd|th)?\b|\b\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}\b"
        rf"|\b(?:on|by|until|since|this|next|last|coming) {_WEEKDAY}\b(?! (?:to|through|until|and)\b)"
        r"|\b(?:yesterday|tomorrow|today|tonight)\b"
        r"|\b(?:this|next|last) (?:week|month|year|morning|afternoon|evening|night)\b"
        r"|\b(?:an hour|\d+ (?:minutes?|hours?|days?|weeks?|months?)) ago\b",
        re.IGNORECASE,
    ),
}
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[^\s\da-z])")
_FENCE = re.compile(r"\s*(```|~~~)")


def is_greeting(text: str) -> bool:
    """Return whether a text only greets."""
    return _GREETING.fullmatch(text.strip()) is not None


def sentences(line: str) -> list[str]:
    """Return the sentences of a line."""
    return [part for part in _SENTENCE_END.split(line.strip()) if part]


def without_greeting(text: str) -> str:
    """Return a question without the greeting at its beginning."""
    return _GREETING.sub("", text.strip(), count=1) if _GREETING.match(text.strip()) else text.strip()


def title_of(question: str) -> str:
    """Return a question's first sentence that asks, else its first sentence, as a document's title."""
    parts = [as_name(part) for line in question.splitlines() for part in sentences(line)]
    parts = [part for part in parts if part]
    first = next((part for part in parts if part.endswith("?")), parts[0] if parts else "")
    if len(first) > MAX_TITLE_CHARACTERS:
        first = first[: MAX_TITLE_CHARACTERS - 1].rpartition(" ")[0] + "…"
    return first[:1].upper() + first[1:]


def section_heading(title: str) -> str:
    """Return what separates a suggested section from the text before it."""
    return f"\n\n## {title}\n\n"


def without_courtesy(text: str, names: Sequence[str]) -> str:
    """Return an answer without greeting, thanks, promises, offers of more help, and signature.

    `names` are those of the people who wrote it. Lines of code stay as they are.
    """
    lines = [[text] if fenced else sentences(text) for text, fenced in _lines(text)]
    kept = [[part for part in line if not _PROMISE.search(part)] for line in lines]
    _cut_opening(kept)
    _cut_closing(kept, {part.casefold() for name in names for part in (name, *name.split()) if part})
    return re.sub(r"\n{3,}", "\n\n", "\n".join(" ".join(line) for line in kept)).strip("\n ")


def only_of_one_customer(text: str) -> str | None:
    """Return what in a text concerns one customer only, such as "a date"; None if nothing does."""
    for what, pattern in _PERSONAL.items():
        if pattern.search(text):
            return what
    return "what was done for the customer" if _DONE_FOR_YOU.search(text) else None


def _lines(text: str) -> list[tuple[str, bool]]:
    """Return the lines of a text, and whether each is code or begins with space, which Markdown gives a meaning."""
    found: list[tuple[str, bool]] = []
    fenced = False
    for line in text.splitlines():
        fence = _FENCE.match(line) is not None
        found.append((line, fenced or fence or line.startswith((" ", "\t"))))
        fenced ^= fence
    return found


def _cut_opening(lines: list[list[str]]) -> None:
    for line in lines:
        while line:
            first = _INTERJECTION.sub("", _GREETING.sub("", line[0], count=1), count=1).strip()
            if not first or _OPENING.fullmatch(first):
                line.pop(0)
                continue
            line[0] = first if first == line[0] else first[0].upper() + first[1:]
            return


def _cut_closing(lines: list[list[str]], names: set[str]) -> None:
    written = [line for line in lines if line]
    if len(written) > 1 and _NAME.fullmatch(" ".join(written[-1]).strip()):
        # A name that nobody knows, as a key's replies have it, is one where it follows a closing line.
        above = " ".join(written[-2]).strip()
        if len(written[-2]) == 1 and _CLOSING.fullmatch(above):
            written[-1].clear()
    for line in reversed(lines):
        while line:
            last = line[-1].strip()
            if last and not _CLOSING.fullmatch(last) and last.casefold().strip(" ,.!—–-") not in names:
                return
            line.pop()
