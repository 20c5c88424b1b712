"""Hearing that a visitor wants a person. Rules, not a model: this wish must be granted whatever answers.

English is here, six languages more in `wishes_elsewhere`.
"""

import re

from helpdesk.agent import wishes_elsewhere
from helpdesk.agent.plain import plain

_PERSON = (
    r"(?:human|person|people|someone|somebody|agent|representative|rep|operator|employee|advisor|adviser|"
    r"staff|team ?mate|colleague|supervisor|manager|support team|team|support|customer (?:service|support|care))"
)
_KIND = r"(?:(?:an?|the|your|some|any|another|one of your)\s+)?(?:(?:real|live|actual|human|different)\s+)*"
_MACHINE = r"(?:bot|robot|chatbot|machine|computer|ai)s?"
_WISHES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # "human", "agent please"
        r"^\W*(?:an? )?(?:real |live |actual )*(?:human|person|agent|operator|representative)(?: please)?\W*$",
        # "Can I speak to someone from support?"
        (
            r"\b(?:i|we|let me|i'd|please)\b[^.?!\n]{0,40}\b(?:talk|speak|chat|talking|speaking)"
            rf"\s+(?:to|with)\s+{_KIND}{_PERSON}\b"
        ),
        # "speak to a representative"
        rf"^\W*(?:talk|speak|chat)\s+(?:to|with)\s+{_KIND}{_PERSON}\b",
        # "put me through to your team"
        rf"\b(?:connect|transfer|forward|pass|put|hand|get|give)\s+me\b[^.?!\n]{{0,25}}\b{_KIND}{_PERSON}\b",
        # "I want a person"; but not "I want an agent that …"
        (
            rf"\b(?:i|we)(?:'d| would)?\s+(?:really\s+)?(?:want|need|like|prefer|demand)\s+{_KIND}"
            r"(?:human|person|agent|operator|representative|employee)(?:\s*$|\s*[.!?,;]|\s+(?:please|now|to)\b)"
        ),
        # "is there someone I can talk to", "can a person help me"
        (
            rf"\b(?:is there|are there|can|could|would)\s+{_KIND}(?:human|person|someone|somebody|anyone|anybody)\b"
            r"[^.?!\n]{0,30}\b(?:help me|talk to|speak to|call me|contact me|reach out|take over|i can)\b"
        ),
        r"\b(?:real|live|actual) (?:human|person)\b",
        # "I don't want to talk to a bot", "not a bot please"
        rf"\b(?:don'?t|do not|not|no|stop)\b[^.?!\n]{{0,20}}\b(?:to|with)\s+{_KIND}{_MACHINE}\b",
        rf"^\W*(?:not an?|no|no more)\s+{_MACHINE}\b",
    )
)


def wants_a_person(text: str) -> bool:
    """Tell whether a visitor asks to be answered by a person."""
    if any(wish.search(text.replace("’", "'")) for wish in _WISHES):
        return True
    simple = plain(text)
    return any(wish.search(simple) for wish in wishes_elsewhere.WISHES)
