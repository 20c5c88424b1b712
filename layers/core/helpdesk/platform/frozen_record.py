"""The base of frozen records: they work as frozen dataclasses do, but defining one takes a fiftieth of the time."""

from dataclasses import Field, FrozenInstanceError, field
from typing import Any, ClassVar, Never, Self, dataclass_transform


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class FrozenRecord:
    """Named values that do not change; a subclass declares them as a dataclass does.

    To a type checker the subclasses are frozen dataclasses. Defaults, `field(default_factory=...)`, `kw_only=True`,
    inheritance, equality, hash, representation, `match` and `copy.replace` work as they do there. `@dataclass`
    generates and compiles the methods of each class, and a function defines dozens of records when it starts
    (docs/decisions/0030). Here the methods exist once and read the names of the fields.
    """

    _fields: ClassVar[tuple[str, ...]] = ()
    _names: ClassVar[frozenset[str]] = frozenset()
    _defaults: ClassVar[dict[str, Any]] = {}
    _factories: ClassVar[dict[str, Any]] = {}
    __match_args__: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, *, kw_only: bool = False) -> None:
        """Find the fields of the class. They follow those of its base."""
        super().__init_subclass__()
        own = tuple(
            name
            for name, annotation in cls.__annotations__.items()
            if name not in cls._names and getattr(annotation, "__origin__", None) is not ClassVar
        )
        cls._fields += own
        cls._names = frozenset(cls._fields)
        given = {name: cls.__dict__[name] for name in cls._fields if name in cls.__dict__}
        factories = {name: value.default_factory for name, value in given.items() if isinstance(value, Field)}
        cls._factories = cls._factories | factories
        cls._defaults = cls._defaults | {name: given[name] for name in given if name not in factories}
        if not kw_only:
            cls.__match_args__ += own  # type: ignore[misc] # mypy treats it as a constant of a dataclass

    def __init__(self, *values: Any, **named: Any) -> None:
        if values:
            positional = dict(zip(self.__match_args__, values, strict=False))
            if len(positional) < len(values) or not positional.keys().isdisjoint(named):
                raise TypeError(f"{type(self).__name__}: too many values, or a field twice")
            named |= positional
        if named.keys() != self._names:
            named = self._completed(named)
        self.__dict__.update(named)

    def _completed(self, given: dict[str, Any]) -> dict[str, Any]:
        """Return the values and the defaults of those that are not given. Raises TypeError where one has no default."""
        values = self._defaults | given
        for name, factory in self._factories.items():
            if name not in values:
                values[name] = factory()
        if values.keys() != self._names:
            wrong = ", ".join(sorted(values.keys() ^ self._names))
            raise TypeError(f"{type(self).__name__}: missing or unknown fields: {wrong}")
        return values

    def __setattr__(self, name: str, value: Any) -> Never:
        """Refuse: a record does not change."""
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> Never:
        """Refuse: a record does not change."""
        raise FrozenInstanceError(f"cannot delete field {name!r}")

    def __eq__(self, other: object) -> bool:
        """Two records are equal when they are of one class and have equal values."""
        return self._asdict() == other._asdict() if type(other) is type(self) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self._asdict().values()))

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value!r}" for name, value in self._asdict().items())
        return f"{type(self).__qualname__}({values})"

    def __replace__(self, /, **changes: Any) -> Self:
        """Return a copy with other values, for `copy.replace`."""
        return type(self)(**self._asdict() | changes)

    def _asdict(self) -> dict[str, Any]:
        """Return the values by the names of their fields, in the order of the fields, as a named tuple does."""
        return {name: self.__dict__[name] for name in self._fields}
