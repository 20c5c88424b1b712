"""A visitor's words in the plain form in which wishes and thanks are looked for."""

import unicodedata


def plain(text: str) -> str:
    """Return text in small letters, without accents, with straight apostrophes."""
    straight = text.replace("’", "'").replace("`", "'").casefold()
    return "".join(c for c in unicodedata.normalize("NFKD", straight) if not unicodedata.combining(c))
