"""One test per rule, which lists everything that breaks it.

A rule that holds for every module, route or URL is one thing to know, and thousands of cases cost minutes to collect
and to report.
"""

import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest

MAX_LISTED = 40


def for_each(
    names: str | Sequence[str],
    values: Iterable[Any],
    ids: Callable[[Any], object] | Sequence[str] | None = None,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Run a test on each of the values, and fail with all that fail: the arguments of pytest.mark.parametrize.

    The values share the test's fixtures, so this is for tests that change nothing.
    """
    arguments = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    cases = [tuple(value) if len(arguments) > 1 else (value,) for value in values]

    def name_of(place: int) -> str:
        if ids is None or callable(ids):
            shown = [str(value if ids is None else ids(value)) for value in cases[place]]
            return "-".join(shown)
        return ids[place]

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(test)
        def rule(**fixtures: Any) -> None:
            assert cases, "There is nothing that this rule is for."
            broken = []
            for place, case in enumerate(cases):
                try:
                    test(**dict(zip(arguments, case, strict=True)), **fixtures)
                except (Exception, pytest.fail.Exception) as failure:  # noqa: BLE001 - it is listed, and fails the test
                    broken.append(f"{name_of(place)}: {type(failure).__name__}: {failure}")
            listed = "\n".join(broken[:MAX_LISTED])
            more = f"\n... and {len(broken) - MAX_LISTED} more" if len(broken) > MAX_LISTED else ""
            assert not broken, f"{len(broken)} of {len(cases)} break this rule:\n{listed}{more}"

        parameters = inspect.signature(test).parameters.values()
        rule.__signature__ = inspect.Signature(  # type: ignore[attr-defined] # what pytest reads for fixtures
            [each.replace(kind=each.KEYWORD_ONLY) for each in parameters if each.name not in arguments]
        )
        del rule.__wrapped__  # pytest would look for fixtures there
        return rule

    return decorate
