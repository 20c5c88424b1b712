"""What a visitor or the team says about a customer (Specification: Message input, user; Limits)."""

from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, model_validator

from helpdesk.accounts.people.record import MAX_EMAIL_CHARACTERS
from helpdesk.api.http.schemas import Body
from helpdesk.platform.text import as_name, cut, is_blank

MAX_NAME_CHARACTERS = 80
MAX_URL_CHARACTERS = 512
MAX_METADATA_ENTRIES = 16
MAX_METADATA_CHARACTERS = 200


def cutter(characters: int) -> AfterValidator:
    """Return the validator that cuts a text to a number of characters; what is left without a visible one is None."""
    return AfterValidator(lambda text: as_name(text, characters) or None if text is not None else None)


def _https_or_nothing(value: Any) -> str | None:
    """Return an https URL of acceptable length; anything else is dropped, not refused."""
    if not isinstance(value, str) or len(value) > MAX_URL_CHARACTERS:
        return None
    try:
        parts = urlsplit(value)
        host = parts.hostname
    except ValueError:
        return None
    if parts.scheme != "https" or not host or any(c.isspace() or not c.isprintable() for c in value):
        return None
    return value


def _fact(value: Any) -> Any:
    """Refuse a value of another type. A union of types would add the types' names to the error's path."""
    if value is not None and not isinstance(value, str | bool | int | float):
        raise ValueError("must be text, a number, true or false")
    return value


def _as_text(value: str | float) -> str:
    text = str(value).lower() if isinstance(value, bool) else str(value)
    kept = cut(text, MAX_METADATA_CHARACTERS)
    return "" if is_blank(kept) else kept


def _first_entries(entries: Any) -> Any:
    """Return the first sixteen entries, in the order of the body. The others are not validated.

    An entry without a visible name, or with null, does not count, because it is not stored.
    """
    if not isinstance(entries, dict):
        return entries
    kept: dict[Any, Any] = {}
    counted = 0
    for name, value in entries.items():
        kept[name] = value
        counted += value is not None and as_name(name, MAX_METADATA_CHARACTERS) != ""
        if counted == MAX_METADATA_ENTRIES:
            break
    return kept


def _facts(entries: dict[str, str | bool | int | float | None] | None) -> dict[str, str] | None:
    """Return entries as text, with names and values cut. An entry with null, or without a visible name, is left out."""
    if entries is None:
        return None
    return {
        kept: _as_text(value)
        for name, value in entries.items()
        if value is not None and (kept := as_name(name, MAX_METADATA_CHARACTERS))
    }


Fact = Annotated[str | bool | int | float | None, BeforeValidator(_fact)]


class UserInput(Body):
    """Who the visitor is. New values overwrite stored ones; an omitted field changes nothing."""

    name: Annotated[str | None, cutter(MAX_NAME_CHARACTERS)] = None
    """Cut to 80 characters."""
    email: Annotated[str | None, cutter(MAX_EMAIL_CHARACTERS)] = None
    """Cut to 320 characters."""
    avatar_url: Annotated[str | None, BeforeValidator(_https_or_nothing)] = None
    """An https URL of up to 512 characters; anything else is dropped."""
    metadata: Annotated[dict[str, Fact] | None, BeforeValidator(_first_entries), AfterValidator(_facts)] = (
        None
    )
    """Facts shown to the team: the first 16 entries are kept, keys and values cut to 200 characters. Later entries are
    dropped without validation."""

    def said(self) -> dict[str, Any]:
        """Return the values without None: a field that was not sent erases nothing."""
        return self.model_dump(exclude_none=True)


class CustomerInput(UserInput):
    """A customer who has not written. Send at least one field."""

    def said(self) -> dict[str, Any]:
        """Return the values that were sent, without empty ones."""
        return {name: value for name, value in self.model_dump().items() if value}


class CustomerUpdate(UserInput):
    """Changes of a customer. Omitted fields stay as they are, and null or an empty value removes a field."""

    @model_validator(mode="before")
    @classmethod
    def _without_dropped(cls, sent: Any) -> Any:
        """Omit an avatar that is dropped: it must not remove the present one."""
        if isinstance(sent, dict) and sent.get("avatarUrl") and _https_or_nothing(sent["avatarUrl"]) is None:
            return {name: value for name, value in sent.items() if name != "avatarUrl"}
        return sent

    def changes(self) -> dict[str, Any]:
        """Return the values that were sent; None for one to remove."""
        sent = self.model_dump(exclude_unset=True)
        return {name: value or None for name, value in sent.items()}
