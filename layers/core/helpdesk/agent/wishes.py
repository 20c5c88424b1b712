"""Hearing that a visitor wants a person. Rules, not a model: this wish must be granted whatever answers."""

import re

_PERSON = (
    r"(?:human|person|people|someone|somebody|agent|representative|rep|operator|employee|advisor|adviser|"
    r"staff|team ?mate|colleague|supervisor|manager|support team|team|support|customer (?:service|support|care))"
)
_KIND = r"(?:(?:an?|the|your|some|any|another|one of your)\s+)?(?:(?:real|live|actual|human|different)\s+)*"
_WISHES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"^(?:a |an )?(?:real |live |actual )*(?:human|person|agent|operator|representative)(?: please)?\W*$",
        (
            rf"\b(?:i|we|let me|can i|could i|may i|i'd|please)\b[^.?!\n]{{0,40}}\b(?:talk|speak|chat|talking|speaking)"
            rf"\s+(?:to|with)\s+{_KIND}{_PERSON}\b"
        ),
        rf"^\W*(?:talk|speak|chat)\s+(?:to|with)\s+{_KIND}{_PERSON}\b",
        rf"\b(?:connect|transfer|forward|pass|put|hand|get|give)\s+me\b[^.?!\n]{{0,25}}\b{_KIND}{_PERSON}\b",
        (
            rf"\b(?:i|we)(?:'d| would)?\s+(?:really\s+)?(?:want|need|like|prefer|demand)\s+{_KIND}"
            rf"(?:human|person|agent|operator|representative|employee)\b(?!'s)"
        ),
        (
            rf"\b(?:is there|are there|can|could|would)\s+{_KIND}(?:human|person|someone|somebody|anyone|anybody)\b"
            rf"[^.?!\n]{{0,30}}\b(?:help me|talk to|speak to|call me|contact me|reach out|take over|i can)\b"
        ),
        r"\b(?:real|live|actual) (?:human|person)\b",
        r"\b(?:no|not|stop|enough)\b[^.?!\n]{0,20}\b(?:bot|robot|chatbot|machine)s?\b",
    )
)


def wants_a_person(text: str) -> bool:
    """Tell whether a visitor asks to be answered by a person."""
    return any(wish.search(text) for wish in _WISHES)
