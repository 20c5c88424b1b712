"""DynamoDB's expressions, as far as the product uses them: conditions, key conditions, filters and updates.

An expression is parsed once into a function of an item in wire form. Syntax that this grammar lacks raises an error, so
nothing is misread.
"""

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import cache
from typing import Any

type Wire = Mapping[str, Any]
type Path = tuple[str, ...]


class Context:
    """What an expression is about: an item in wire form, and the names and values that were sent along."""

    __slots__ = ("item", "names", "values")

    def __init__(self, item: Wire, request: Wire) -> None:
        self.item = item
        self.names: Wire = request.get("ExpressionAttributeNames") or {}
        self.values: Wire = request.get("ExpressionAttributeValues") or {}


type Operand = Callable[[Context], Any]
type Condition = Callable[[Context], bool]
type Update = Callable[[Context, dict[str, Any]], None]

bare_names: set[str] = set()
"""The attributes that expressions so far named without a placeholder. DynamoDB refuses its reserved words there."""

_TOKEN = re.compile(r"\s*(<>|<=|>=|[=<>+\-(),]|[#:]?\w+(?:\.#?\w+)*)")
_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "=": lambda a, b: bool(a == b),
    "<>": lambda a, b: bool(a != b),
    "<": lambda a, b: bool(a < b),
    "<=": lambda a, b: bool(a <= b),
    ">": lambda a, b: bool(a > b),
    ">=": lambda a, b: bool(a >= b),
}


@cache
def condition(text: str) -> Condition:
    """Return the test of a condition, key condition or filter."""
    parser = _Parser(text)
    test = parser.alternatives()
    parser.end()
    return test


@cache
def update(text: str) -> Update:
    """Return the change of an update expression: it reads the item before and writes the item after."""
    parser = _Parser(text)
    changes: list[Update] = []
    while parser.ahead():
        section = parser.take()
        changes.append(parser.change(section))
        while parser.accept(","):
            changes.append(parser.change(section))

    def apply(context: Context, after: dict[str, Any]) -> None:
        for change in changes:
            change(context, after)

    return apply


def _comparable(value: Wire) -> Any:
    [(kind, content)] = value.items()
    return Decimal(content) if kind == "N" else content


def _compare(operator: str, left: Wire | None, right: Wire | None) -> bool:
    if left is None or right is None:
        return False
    if left.keys() != right.keys():
        return operator == "<>"
    return _COMPARISONS[operator](_comparable(left), _comparable(right))


def _contains(whole: Wire | None, part: Wire) -> bool:
    if whole is None:
        return False
    [(kind, content)] = whole.items()
    return part in content if kind == "L" else _comparable(part) in content


def _size(value: Wire | None) -> Wire | None:
    return None if value is None else {"N": str(len(next(iter(value.values()))))}


def _reached(context: Context, path: Path) -> Any:
    found: Any = context.item
    for place, part in enumerate(path):
        name = context.names[part] if part.startswith("#") else part
        if place:
            found = found.get("M", {})
        found = found.get(name)
        if found is None:
            return None
    return found


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = _TOKEN.findall(text)
        if "".join(self._tokens) != re.sub(r"\s", "", text):
            raise ValueError(f"not an expression: {text}")
        self._at = 0

    def ahead(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def take(self) -> str:
        token = self.ahead()
        self._at += 1
        return token

    def accept(self, token: str) -> bool:
        if self.ahead().upper() != token:
            return False
        self._at += 1
        return True

    def expect(self, token: str) -> None:
        if not self.accept(token):
            raise ValueError(f"{token} is missing at {self.ahead()!r} in: {self._text}")

    def end(self) -> None:
        if self.ahead():
            raise ValueError(f"{self.ahead()!r} is not understood in: {self._text}")

    def alternatives(self) -> Condition:
        tests = [self._together()]
        while self.accept("OR"):
            tests.append(self._together())
        return tests[0] if len(tests) == 1 else lambda context: any(test(context) for test in tests)

    def _together(self) -> Condition:
        tests = [self._single()]
        while self.accept("AND"):
            tests.append(self._single())
        return tests[0] if len(tests) == 1 else lambda context: all(test(context) for test in tests)

    def _single(self) -> Condition:
        if self.accept("NOT"):
            negated = self._single()
            return lambda context: not negated(context)
        if self.accept("("):
            inner = self.alternatives()
            self.expect(")")
            return inner
        if self.ahead() in {"attribute_exists", "attribute_not_exists", "begins_with", "contains"}:
            return self._function()
        left = self.operand()
        if self.accept("BETWEEN"):
            low = self.operand()
            self.expect("AND")
            high = self.operand()
            return lambda c: _compare(">=", left(c), low(c)) and _compare("<=", left(c), high(c))
        if self.accept("IN"):
            self.expect("(")
            among = [self.operand()]
            while self.accept(","):
                among.append(self.operand())
            self.expect(")")
            return lambda c: any(_compare("=", left(c), each(c)) for each in among)
        operator = self.take()
        if operator not in _COMPARISONS:
            raise ValueError(f"{operator!r} is no comparison in: {self._text}")
        right = self.operand()
        return lambda c: _compare(operator, left(c), right(c))

    def _function(self) -> Condition:
        name = self.take()
        self.expect("(")
        first = self.operand()
        second = self.operand() if self.accept(",") else None
        self.expect(")")
        if second is None:
            exists = name == "attribute_exists"
            return lambda context: (first(context) is not None) is exists
        other = second
        if name == "contains":
            return lambda context: _contains(first(context), other(context))
        return lambda context: (first(context) or {}).get("S", "").startswith(other(context)["S"])

    def operand(self) -> Operand:
        token = self.take()
        if token.startswith(":"):
            return lambda context: context.values[token]
        if self.ahead() == "(":
            return self._value_function(token)
        path: Path = tuple(token.split("."))
        bare_names.update(part for part in path if not part.startswith("#"))
        if len(path) == 1 and not token.startswith("#"):
            return lambda context: context.item.get(token)
        return lambda context: _reached(context, path)

    def _value_function(self, name: str) -> Operand:
        self.expect("(")
        first = self.operand()
        if name == "size":
            self.expect(")")
            return lambda c: _size(first(c))
        self.expect(",")
        second = self.operand()
        self.expect(")")
        if name == "list_append":
            return lambda c: {"L": [*first(c)["L"], *second(c)["L"]]}
        if name == "if_not_exists":
            return lambda c: second(c) if first(c) is None else first(c)
        raise ValueError(f"{name} is not understood in: {self._text}")

    def change(self, section: str) -> Update:
        path: Path = tuple(self.take().split("."))
        bare_names.update(part for part in path if not part.startswith("#"))
        match section.upper():
            case "SET":
                self.expect("=")
                return _setting(path, self._sum())
            case "REMOVE":
                return lambda context, after: _put(context, after, path, None)
            case "ADD":
                added = self.operand()
                return _setting(path, lambda c: _plus(_reached(c, path) or {"N": "0"}, added(c), 1))
            case _:
                raise ValueError(f"{section!r} is not understood in: {self._text}")

    def _sum(self) -> Operand:
        left = self.operand()
        if self.ahead() not in {"+", "-"}:
            return left
        sign = 1 if self.take() == "+" else -1
        right = self.operand()
        return lambda context: _plus(left(context), right(context), sign)


def _plus(left: Wire, right: Wire, sign: int) -> Wire:
    return {"N": str(Decimal(left["N"]) + sign * Decimal(right["N"]))}


def _setting(path: Path, value: Operand) -> Update:
    return lambda context, after: _put(context, after, path, value(context))


def _put(context: Context, after: dict[str, Any], path: Path, value: Any) -> None:
    """Set or remove an attribute, or a member of a map that is one."""
    names = [context.names[part] if part.startswith("#") else part for part in path]
    holder = after
    for name in names[:-1]:
        holder[name] = {"M": dict(holder[name]["M"])}
        holder = holder[name]["M"]
    if value is None:
        holder.pop(names[-1], None)
    else:
        holder[names[-1]] = value
