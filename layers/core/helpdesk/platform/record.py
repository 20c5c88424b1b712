"""The base of frozen values, stored or not: a class whose fields are its annotations."""

from typing import dataclass_transform

import msgspec
from msgspec import field

__all__ = ["Record", "field"]


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class Record(msgspec.Struct, frozen=True, rename="camel", dict=True):
    """Named values that do not change: a `msgspec.Struct`, which costs a function's start a twentieth of a dataclass.

    Defaults, `field(default_factory=...)`, `kw_only=True`, inheritance, equality, hash, `match` and `copy.replace` work
    as they do for frozen dataclasses, and type checkers treat it as one. `msgspec.to_builtins` writes a value with its
    names in camel case, and `msgspec.convert` reads and checks one. What the table holds derives from
    `storage.stored.Stored`, which does both (docs/decisions/0030).
    """
