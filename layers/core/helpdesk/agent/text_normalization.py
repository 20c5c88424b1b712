"""The form of a visitor's text that the intent patterns are written for."""

import unicodedata


def normalize(text: str) -> str:
    """Return text in lower case, without accents, with straight apostrophes."""
    straight = text.replace("’", "'").replace("`", "'").casefold()
    return "".join(c for c in unicodedata.normalize("NFKD", straight) if not unicodedata.combining(c))
