"""Figures in words: 2 min 5 s, 57.1 %, 1,234."""

from __future__ import annotations

_STEPS = (("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1))


def figure(value: float | None, unit: str) -> str:
    """Return a figure in its unit: `milliseconds`, `percent` or `number`. Nothing is a hyphen."""
    if value is None:
        return "-"
    if unit == "milliseconds":
        return _duration(value)
    return f"{_number(value, 1)} %" if unit == "percent" else _number(value, 2)


def _number(value: float, digits: int) -> str:
    text = f"{value:,.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _duration(value: float) -> str:
    """Return milliseconds in the two largest units."""
    if value < 0:
        return f"-{_duration(-value)}"
    if value < 1_000:
        return f"{_number(value, 0)} ms"
    if value < 60_000:
        return f"{_number(value / 1_000, 1)} s"
    rest = round(value / 1_000)
    parts: list[tuple[int, str]] = []
    for name, length in _STEPS:
        count, rest = divmod(rest, length)
        if count or parts:
            parts.append((count, name))
    return " ".join(f"{count} {name}" for count, name in parts[:2] if count)
