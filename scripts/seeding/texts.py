"""What visitors, the agent and teammates write: sentences of a support desk, with details of their own."""

from random import Random

LEAST_CHARACTERS, MOST_CHARACTERS = 20, 1_500
_MEDIAN_LOG, _SPREAD = 4.9, 0.85  # a median of about 135 characters

_VISITOR = (
    "Hello, I moved our shop to a new domain {when} and since then order {number} is not found.",
    "Is there a way to change the {thing} of my account without losing the {other}?",
    "The {thing} shows the wrong amount for invoice {number}.",
    "I was charged twice for the {thing} {when}.",
    "How do I give a colleague access to the {thing}?",
    "Since {when} our server answers 401 to every {thing}.",
    "Can you send me a copy of invoice {number}?",
    "I would like to cancel the {thing}, but keep the {other} until the end of the month.",
    "The export of the {thing} stops at {number} rows.",
    "It still does not work, I tried it again {when}.",
    "Thanks, that helped.",
    "We are {number} people and most of us cannot open the {thing}.",
)
_TEAM = (
    "Thank you for writing. I have looked at the {thing} and order {number} is there now.",
    "You can change the {thing} under Settings, {other}.",
    "I have refunded invoice {number}; it takes three to five days until you see it.",
    "Could you tell me since when the {thing} behaves like this?",
    "The {thing} was unavailable for a short time {when}. It works again.",
    "I have passed this on to the colleagues who look after the {thing}.",
    "Please open the {thing} again and choose {other}. The number to enter is {number}.",
)
_NOTE = (
    "Same trouble as order {number}, see the {thing}.",
    "Called {when}, nobody answered.",
    "Wants the {thing} on the {other} plan.",
)
_THINGS = ("webhook", "dashboard", "subscription", "calendar", "report", "checkout", "newsletter", "printer")
_OTHERS = ("history", "members", "discount", "address", "yearly", "language", "invoices")
_WHENS = ("yesterday", "on Monday", "last week", "this morning", "two days ago")
_FIRST = ("Ada", "Ben", "Cem", "Dana", "Eli", "Fay", "Gus", "Hana", "Ida", "Jon", "Kim", "Lea", "Mia", "Noa")
_LAST = (
    "Abel",
    "Berg",
    "Costa",
    "Diaz",
    "Engel",
    "Fuchs",
    "Garcia",
    "Hahn",
    "Ito",
    "Jansen",
    "Klein",
    "Lopez",
)


def of_visitor(random: Random) -> str:
    """Return a visitor's message."""
    return _text(random, _VISITOR)


def of_team(random: Random) -> str:
    """Return an answer, the agent's or a teammate's."""
    return _text(random, _TEAM)


def of_note(random: Random) -> str:
    """Return a note, or a fact about a customer."""
    return _sentence(random, _NOTE)


def person(random: Random) -> tuple[str, str]:
    """Return a name and an e-mail address that nobody has."""
    first, last = random.choice(_FIRST), random.choice(_LAST)
    return f"{first} {last}", f"{first}.{last}{random.randrange(100_000)}@example.com".lower()


def _text(random: Random, sentences: tuple[str, ...]) -> str:
    wanted = random.lognormvariate(_MEDIAN_LOG, _SPREAD)
    wanted = min(max(wanted, LEAST_CHARACTERS), MOST_CHARACTERS)
    text = _sentence(random, sentences)
    while len(text) < wanted:
        text += " " + _sentence(random, sentences)
    return text[:MOST_CHARACTERS]


def _sentence(random: Random, sentences: tuple[str, ...]) -> str:
    return random.choice(sentences).format(
        when=random.choice(_WHENS),
        thing=random.choice(_THINGS),
        other=random.choice(_OTHERS),
        number=random.randrange(100, 99_999),
    )
