"""Refuses fields, query parameters and values that a route does not know, and names the one that was probably meant.

A misspelt name would otherwise be ignored: a reply with `takeover` for `takeOver` succeeds and takes nothing over
(docs/decisions/0113).
"""

from collections.abc import Iterable, Sequence

from helpdesk.platform.errors import InvalidRequest

_MAX_COMPARED_CHARACTERS = 64
"""A longer name is no misspelling of one of ours. Comparing takes time that grows with its length."""
_SIMILARITY = 0.7
_MAX_SHOWN_CHARACTERS = 200
_ADDED_BY_OTHERS = ("_", "utm_")


def first_unknown(names: Iterable[str], known: Iterable[str]) -> str | None:
    """Return the first name that is not known, or None."""
    allowed = frozenset(known)
    return next((name for name in names if name not in allowed), None)


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that was probably meant: the same letters in another spelling, or a similar name."""
    if len(name) > _MAX_COMPARED_CHARACTERS:
        return None
    # Only an error needs it, and an import takes time at the start of every function.
    from difflib import get_close_matches  # noqa: PLC0415

    by_letters = {_letters(each): each for each in known}
    close = get_close_matches(_letters(name), by_letters, n=1, cutoff=_SIMILARITY)
    return by_letters[close[0]] if close else None


class NotOneOf(ValueError):
    """A value is not one of those that a validator allows."""

    def __init__(self, allowed: Iterable[str]) -> None:
        self.allowed = tuple(allowed)
        super().__init__(f"must be one of {', '.join(self.allowed)}")


def did_you_mean(sent: object, allowed: Iterable[str]) -> str:
    """Return the sentence that names the value that was probably meant, after a space; empty if there is none."""
    meant = nearest(sent, allowed) if isinstance(sent, str) else None
    return f" Did you mean {_quoted(meant)}?" if meant is not None else ""


def unknown_field(path: str, name: str, known: Sequence[str]) -> str:
    """Return the sentence for an unknown field; `path` is the part of the body that it is in, empty for the body."""
    prefix = f"{path}." if path else ""
    meant = nearest(name, known)
    suggestion = f"; did you mean {_quoted(prefix + meant)}?" if meant is not None else "."
    place = f" in {_quoted(path)}" if path else ""
    return f"Unknown field {_quoted(prefix + name)}{suggestion} Allowed{place}: {', '.join(known)}."


def require_known_parameters(names: Iterable[str], known: Sequence[str]) -> None:
    """Raise InvalidRequest for the first query parameter that is not known.

    Caches and links add parameters of their own, such as `_=1763683200120` and `utm_source`, so these are ignored.
    """
    name = first_unknown((each for each in names if not each.startswith(_ADDED_BY_OTHERS)), known)
    if name is None:
        return
    if not known:
        raise InvalidRequest(
            f"Unknown query parameter {_quoted(name)}. This route takes no query parameters."
        )
    meant = nearest(name, known)
    suggestion = f"; did you mean {_quoted(meant)}?" if meant is not None else "."
    raise InvalidRequest(f"Unknown query parameter {_quoted(name)}{suggestion} Allowed: {', '.join(known)}.")


def _letters(name: str) -> str:
    return "".join(character for character in name if character.isalnum()).casefold()


def _quoted(name: str) -> str:
    # A name chosen by the caller can be as long as a body; the message must stay readable.
    return f"`{name if len(name) <= _MAX_SHOWN_CHARACTERS else name[:_MAX_SHOWN_CHARACTERS] + '…'}`"
