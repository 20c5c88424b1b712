"""The base of every kind of key: built from its parts, and parsed back to them."""

import re
from functools import cache, cached_property
from typing import Any, ClassVar, Never, Self, dataclass_transform

MAX_PART_CHARACTERS = 128
REGISTRY: dict[str, type["ItemKey"]] = {}


class MalformedKey(ValueError):
    """An invalid part of a key: it is empty, longer than any ID, or contains the separator."""


def require_part(kind: type, name: str, part: str) -> None:
    """Raise MalformedKey for a part of a kind's key that is empty, too long, or contains the separator."""
    if not 0 < len(part) <= MAX_PART_CHARACTERS or "#" in part:
        raise MalformedKey(f"{kind.__name__}.{name}")


@dataclass_transform(frozen_default=True)
class ItemKey:
    """The primary key of one kind of item; a subclass gives the templates of both halves and declares their parts.

    To a type checker the subclasses are frozen dataclasses. They are not generated as such, because every function
    imports every kind (docs/decisions/0030).
    """

    PK: ClassVar[str]
    SK: ClassVar[str]
    PARTS: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        """Enter the kind in the registry under its class name."""
        cls.PARTS = tuple(cls.__annotations__)
        REGISTRY[cls.__name__] = cls

    def __init__(self, *values: str, **named: str) -> None:
        """Refuse a part that contains the separator: with it, one tenant's key could equal another's.

        The length keeps every key under DynamoDB's 1,024 bytes for a sort key, whatever a caller sends as an id.
        """
        parts = dict(zip(self.PARTS, values, strict=False), **named)
        if len(values) + len(named) != len(self.PARTS) or parts.keys() != set(self.PARTS):
            raise TypeError(f"{type(self).__name__} takes {', '.join(self.PARTS)}")
        for name, part in parts.items():
            require_part(type(self), name, part)
        self.__dict__.update(parts)

    def __setattr__(self, name: str, value: Any) -> Never:
        """Refuse: a key does not change."""
        raise AttributeError(name)

    def __eq__(self, other: object) -> bool:
        """Two keys are equal when they are of one kind and have the same parts."""
        return type(other) is type(self) and (self.pk, self.sk) == (other.pk, other.sk)

    def __hash__(self) -> int:
        return hash((self.pk, self.sk))

    def __repr__(self) -> str:
        parts = ", ".join(f"{name}={part!r}" for name, part in self._parts().items())
        return f"{type(self).__name__}({parts})"

    @cached_property
    def pk(self) -> str:
        """The partition key."""
        return self.PK.format(**self._parts())

    @cached_property
    def sk(self) -> str:
        """The sort key."""
        return self.SK.format(**self._parts())

    def attributes(self) -> dict[str, Any]:
        """Return the key as the item's attributes `PK` and `SK`."""
        return {"PK": self.pk, "SK": self.sk}

    def _parts(self) -> dict[str, str]:
        return {name: getattr(self, name) for name in self.PARTS}

    @classmethod
    def parse(cls, pk: str, sk: str) -> Self | None:
        """Return the key whose halves these are, or None where they belong to another kind."""
        found: dict[str, str] = {}
        for template, text in ((cls.PK, pk), (cls.SK, sk)):
            match = _pattern(template).fullmatch(text)
            if match is None:
                return None
            for name, part in match.groupdict().items():
                if found.setdefault(name, part) != part:
                    return None
        return cls(**found)


@cache
def _pattern(template: str) -> re.Pattern[str]:
    """Return the expression that the halves of one kind match, with a group for each part."""
    part = rf"(?P<\1>[^#]{{1,{MAX_PART_CHARACTERS}}})"
    return re.compile(re.sub(r"\\{(\w+)\\}", part, re.escape(template)))
