"""Answers that are no models: a page, or JSON that is already written."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class Content:
    """Text as it goes out, with headers of its own. A route names the subclass that it answers."""

    media_type: ClassVar[str]

    text: str
    headers: Mapping[str, str] = field(default_factory=dict)


class HtmlPage(Content):
    """A page for a browser."""

    __slots__ = ()
    media_type = "text/html; charset=utf-8"


class WrittenJson(Content):
    """JSON that was written before."""

    __slots__ = ()
    media_type = "application/json"
