"""What the table holds: records that say where they are stored, and are written and read by one rule.

A kind of item is a class. Its fields are the attributes of the item in camel case, and its templates say what the keys
are made from:

    class Task(Stored, kw_only=True):
        PK, SK = "ORG#{organization}#TASK#{id}", "TASK"
        GSI1 = "ORG#{organization}#COLUMN#{status}", "{place}"
        organization: str
        id: str
        status: TaskStatus
        done_at: int | None = None

`Task.key_for(organization, id)` is a key, `task.to_item()` and `Task.from_item(item)` are the two directions.

- A text field in a key template is stored in the key alone, except `id`, by which others know an item. The key counts.
  An enumeration is stored beside the key too, and read from the key where that attribute is missing.
- A field that is None is not stored. A field with a default can be missing.
- An index entry exists while every value of its template is there: a property that returns None leaves it out.
- An `ActorName` field `created_by_name` is stored as two attributes, `createdByName` and `createdBy`.
- Attributes that the class does not have are ignored: a later version's, or the table's own such as `expiresAt`.

`helpdesk.storage.collection` reads and writes one kind; `helpdesk.storage.transactions` writes several together.
"""

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import cache
from typing import Any, ClassVar, Literal, Self, get_args

import msgspec
from msgspec.structs import fields

from helpdesk.platform.record import Record, field
from helpdesk.platform.units import HOUR_SECONDS
from helpdesk.storage import actor_name
from helpdesk.storage.actor_name import ActorName
from helpdesk.storage.wire import Item

__all__ = ["KEYS_ONLY", "Expiring", "Index", "Key", "MalformedKey", "Stored", "UnreadableItem", "field"]

type Index = Literal["GSI1", "GSI2", "GSI3", "GSI4"]
type Template = tuple[str, str]

INDEXES: tuple[Index, ...] = ("GSI1", "GSI2", "GSI3", "GSI4")
KEYS_ONLY: tuple[Index, ...] = ("GSI2", "GSI4")
"""The indexes that hold keys and no other attributes. A write that moves nothing in one doesn't write to it.

A query of one costs one more call, which reads the items. It suits lists that are read less often than their items
change."""
MAX_PART_CHARACTERS = 128
_PART = re.compile(r"\{(\w+)[^}]*\}")
_HALVES = "\n"
_TABLE_ATTRIBUTES = {"expiresAt", *(f"{index}{half}" for index in INDEXES for half in ("PK", "SK"))}
_BUILTIN = (bytes, Decimal)


class MalformedKey(ValueError):
    """An invalid part of a key: it is empty, longer than any ID, or contains the separator."""


class UnreadableItem(ValueError):
    """An attribute is missing or has another type than this version writes. The text names the attribute only."""


class Key(Record):
    """The primary key of an item, and the kind of item that it is of."""

    pk: str
    sk: str
    kind: "type[Stored]"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Key) and (self.pk, self.sk) == (other.pk, other.sk)

    def __hash__(self) -> int:
        return hash((self.pk, self.sk))

    def attributes(self) -> Item:
        """Return the key as the item's attributes `PK` and `SK`."""
        return {"PK": self.pk, "SK": self.sk}


class Stored(Record):
    """A record that the table holds. A subclass gives its templates (`PK`, `SK`, `GSI1` to `GSI4`) and its fields."""

    PK: ClassVar[str]
    SK: ClassVar[str]
    GSI1: ClassVar[Template | None] = None
    GSI2: ClassVar[Template | None] = None
    GSI3: ClassVar[Template | None] = None
    GSI4: ClassVar[Template | None] = None
    VIEW_OF: ClassVar[str | None] = None
    """The kind whose items this class reads, for a package that may not import that class."""

    @classmethod
    def key_for(cls, *parts: str) -> Key:
        """Return the key with these parts, in the order in which the templates first name them.

        Raises MalformedKey for a part that is empty, longer than any id, or contains the separator: with one, a key of
        one tenant could equal another's.
        """
        pk, sk = _filled(cls, _template(cls, None), parts)
        return Key(pk, sk, cls)

    @classmethod
    def partition_for(cls, *parts: str, index: Index | None = None) -> str:
        """Return a partition of the table or of an index, from the parts that its template names, in that order."""
        return _filled(cls, _template(cls, index).partition(_HALVES)[0], parts)[0]

    @classmethod
    def sk_prefix(cls) -> str:
        """Return what the sort keys of this kind begin with."""
        return cls.SK.partition("{")[0]

    @classmethod
    def prefix_for(cls, *parts: str) -> tuple[str, str]:
        """Return a partition, and what sort keys in it begin with that have these first parts."""
        in_partition = len(_names(cls.PK))
        partition = cls.partition_for(*parts[:in_partition])
        prefix, left = "", cls.SK
        for part in parts[in_partition:]:
            prefix, left = f"{prefix}{left.partition('{')[0]}{part}", left.partition("}")[2]
        return partition, f"{prefix}{left.partition('{')[0]}"

    @classmethod
    def key_parts(cls) -> tuple[str, ...]:
        """Return the names of the parts of a key, in the order in which the templates first name them."""
        return _names(_template(cls, None))

    @classmethod
    def parse(cls, pk: str, sk: str) -> dict[str, str] | None:
        """Return the parts of a key by their names, or None where the key belongs to another kind."""
        match = _pattern(_template(cls, None)).fullmatch(f"{pk}{_HALVES}{sk}")
        return None if match is None else match.groupdict()

    @property
    def key(self) -> Key:
        """The key of its item."""
        return self.key_for(*(str(getattr(self, name)) for name in self.key_parts()))

    def index_entry(self, index: Index) -> Item:
        """Return its key in an index, empty where it is not in it."""
        template = _template(type(self), index)
        parts = {name: getattr(self, name) for name in _names(template)}
        if None in parts.values():
            return {}
        pk, sk = (half.format_map(parts) for half in template.split(_HALVES))
        return {f"{index}PK": pk, f"{index}SK": sk}

    def position(self, index: Index | None = None) -> Item:
        """Return where a list continues behind this record: the `after` of a query."""
        return self.key.attributes() | (self.index_entry(index) if index else {})

    def to_item(self) -> Item:
        """Return the item: the key, the index entries, and every field that is not None."""
        item = self.key.attributes()
        for index in INDEXES:
            if getattr(self, index) is not None:
                item |= self.index_entry(index)
        in_key = _fields_in_key(type(self))
        for name, value in plain(self).items():
            if value is not None and (not in_key.get(name, ("", False))[1] or name == "id"):
                item[name] = value
        for what, attribute in _actor_names(type(self)).items():
            item |= {
                name: value
                for name, value in actor_name.to_item(what, getattr(self, attribute)).items()
                if value is not None
            }
        return item

    @classmethod
    def from_item(cls, item: Item) -> Self:
        """Read an item. Raises UnreadableItem."""
        values = dict(item)
        if in_key := _fields_in_key(cls):
            parts = cls.parse(item["PK"], item["SK"]) or {}
            for name, (part, text) in in_key.items():
                if text or name not in item:
                    values[name] = parts.get(part)
        for what in _actor_names(cls):
            if f"{what}Name" in values:
                values[f"{what}Name"] = actor_name.optional_from_item(item, what)
        try:
            return msgspec.convert(values, cls, builtin_types=_BUILTIN, dec_hook=_as_it_is)
        except msgspec.ValidationError as error:
            # Behind this word is the path of the attribute. Before it can be the value.
            raise UnreadableItem(f"{cls.__name__}{str(error).rpartition(' - at ')[2]}") from None


class Expiring(Stored, kw_only=True):
    """A record that is valid until an instant (`valid_until`, ms).

    DynamoDB deletes its item some time after `KEPT_SECONDS` more. Until then its readers compare `valid_until`.
    """

    KEPT_SECONDS: ClassVar[int] = HOUR_SECONDS

    valid_until: int

    @property
    def expires_at(self) -> int:
        """The second from which DynamoDB may delete the item."""
        return self.valid_until // 1_000 + self.KEPT_SECONDS

    def to_item(self) -> Item:
        """Return the item, with `expiresAt`."""
        return {**super().to_item(), "expiresAt": self.expires_at}


def attribute(kind: type[Stored], name: str) -> str:
    """Return the attribute of a field, such as `doneAt` of `done_at`; that of an index entry is named itself.

    So is the id beside an `ActorName` field.
    """
    if name in kind.__struct_fields__:
        return kind.__struct_encode_fields__[kind.__struct_fields__.index(name)]
    if name in _TABLE_ATTRIBUTES or name in _actor_names(kind):
        return name
    raise AttributeError(f"a {kind.__name__} has no field {name}")


def plain(value: Any) -> Any:
    """Return a value of a record as the table holds it: an enumeration's text, a record as a map of its fields.

    Of an `ActorName`, that is the name: its id has an attribute of its own.
    """
    return msgspec.to_builtins(value, builtin_types=_BUILTIN, enc_hook=str)


@cache
def _template(kind: type[Stored], index: Index | None) -> str:
    """Return both halves of a kind's key, in the table or in an index."""
    halves = (kind.PK, kind.SK) if index is None else getattr(kind, index)
    if halves is None:
        raise TypeError(f"no {kind.__name__} is in {index}")
    return _HALVES.join(halves)


@cache
def _names(template: str) -> tuple[str, ...]:
    """Return what a template is filled with, in the order in which it first names each."""
    return tuple(dict.fromkeys(_PART.findall(template)))


@cache
def _pattern(template: str) -> re.Pattern[str]:
    """Return the expression that a kind's keys match, with a group for each part."""
    seen: set[str] = set()

    def group(part: re.Match[str]) -> str:
        name = part[1]
        if name in seen:
            return f"(?P={name})"
        seen.add(name)
        return rf"(?P<{name}>[^#]{{1,{MAX_PART_CHARACTERS}}})"

    return re.compile(re.sub(r"\\\{(\w+).*?\\\}", group, re.escape(template)))


def _filled(kind: type[Stored], template: str, parts: Sequence[str]) -> list[str]:
    """Return the halves of a template with its parts. Raises MalformedKey.

    The longest part keeps every key under DynamoDB's 1,024 bytes for a sort key, whatever a caller sends as an ID.
    """
    names = _names(template)
    if len(parts) != len(names):
        raise TypeError(f"a {kind.__name__} takes {', '.join(names)} here")
    values = dict(zip(names, parts, strict=True))
    for name, part in values.items():
        if not 0 < len(part) <= MAX_PART_CHARACTERS or "#" in part:
            raise MalformedKey(f"{kind.__name__}.{name}")
    return [half.format_map(values) for half in template.split(_HALVES)]


@cache
def _fields_in_key(kind: type[Stored]) -> Mapping[str, tuple[str, bool]]:
    """Return the fields that the key holds as they are, by their attributes, and whether each is text."""
    parts = kind.key_parts()
    return {
        each.encode_name: (each.name, each.type is str)
        for each in fields(kind)
        if each.name in parts and isinstance(each.type, type) and issubclass(each.type, str)
    }


@cache
def _actor_names(kind: type[Stored]) -> Mapping[str, str]:
    """Return the fields with a name and an id, by the attribute of the id."""
    return {
        each.encode_name.removesuffix("Name"): each.name
        for each in fields(kind)
        if ActorName in (each.type, *get_args(each.type))
    }


def _as_it_is(_: type, value: Any) -> Any:
    return value
