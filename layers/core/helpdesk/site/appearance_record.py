"""How a help site looks, as attributes of the item of its settings; its stylesheet is an item of its own."""

from collections.abc import Mapping
from typing import Any, Final, Literal, Self, get_args

from helpdesk.platform.record import Record

type Theme = Literal["paper"]
type Scheme = Literal["system", "light", "dark"]
type Navigation = Literal["top", "sidebar", "topics"]

_CHOICES: Final[Mapping[str, tuple[str, ...]]] = {
    "theme": get_args(Theme.__value__),
    "scheme": get_args(Scheme.__value__),
    "navigation": get_args(Navigation.__value__),
}


class AppearanceRecord(Record, kw_only=True):
    """How a site looks; the defaults are those of a site that nobody has changed (Specification: Appearance).

    accent    a colour as `#0a7c66`; None for the theme's own
    css_hash  names the stylesheet that is served; None without one
    """

    theme: Theme = "paper"
    scheme: Scheme = "system"
    navigation: Navigation = "sidebar"
    accent: str | None = None
    css_hash: str | None = None

    @classmethod
    def from_item(cls, item: Mapping[str, Any] | None) -> Self:
        """Read the appearance of an item; what it lacks or this version does not know has its default."""
        found = item or {}
        known: dict[str, Any] = {
            name: found[name] for name, choices in _CHOICES.items() if found.get(name) in choices
        }
        return cls(**known, accent=found.get("accent"), css_hash=found.get("cssHash"))

    def to_item(self) -> dict[str, str | None]:
        """Return the appearance as attributes."""
        return {
            "theme": self.theme,
            "scheme": self.scheme,
            "navigation": self.navigation,
            "accent": self.accent,
            "cssHash": self.css_hash,
        }
