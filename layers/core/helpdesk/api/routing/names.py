"""Responses that say who did something show the name that they have now, whichever route they are of.

A model has the two as `created_by` and `created_by_name`, or with another word than `created`.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any

from helpdesk.api.http.schemas import Answer
from helpdesk.storage import names
from helpdesk.storage.actor_name import ActorName


def with_names_now[T: Answer](organization: str, answer: T) -> T:
    """Return a response with the present names beside its ids. One batch read, or none where it has no ids."""
    shown = list(_shown_in(answer))
    present = names.now(organization, shown) if shown else {}
    return _renamed(answer, present) if present else answer


@cache
def _pairs(model: type[Answer]) -> tuple[tuple[str, str], ...]:
    """Return the fields of a model that hold an id, each with the one that holds its name."""
    named = (field for field in model.model_fields if field.endswith("_by_name"))
    return tuple((field.removesuffix("_name"), field) for field in named)


def _shown_in(value: Any) -> Iterator[ActorName]:
    if isinstance(value, Answer):
        for by_id, name in _pairs(type(value)):
            if getattr(value, by_id) is not None:
                yield ActorName(getattr(value, name), getattr(value, by_id))
        for field in type(value).model_fields:
            yield from _shown_in(getattr(value, field))
    elif isinstance(value, list):
        for each in value:
            yield from _shown_in(each)


def _renamed(value: Any, present: dict[str, str]) -> Any:
    if isinstance(value, Answer):
        changed = {
            name: present[getattr(value, by_id)]
            for by_id, name in _pairs(type(value))
            if getattr(value, by_id) in present
        }
        for field in type(value).model_fields:
            seen = getattr(value, field)
            new = _renamed(seen, present)
            if new is not seen:
                changed[field] = new
        return value.model_copy(update=changed) if changed else value
    if isinstance(value, list):
        made = [_renamed(each, present) for each in value]
        return made if any(new is not seen for new, seen in zip(made, value, strict=True)) else value
    return value
