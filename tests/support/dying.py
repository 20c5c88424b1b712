"""A process that dies at a chosen moment: before or after one of its calls to DynamoDB."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from helpdesk.platform import clients


class Died(BaseException):
    """The process is gone; nothing catches it."""


class Moments:
    """The moments that have passed: two for each call, before and after it."""

    def __init__(self, last: int | None) -> None:
        self.passed, self._last = 0, last

    def pass_one(self) -> None:
        """Pass a moment, or die in it."""
        if self.passed == self._last:
            raise Died
        self.passed += 1


@contextmanager
def dying(at: int | None) -> Iterator[Moments]:
    """Let the block's process die at the moment of a number, never for None; counts the moments."""
    client: Any = clients.dynamodb()
    own = client.__dict__.get("_make_api_call")
    call = client._make_api_call
    moments = Moments(at)

    def counted(*values: Any, **named: Any) -> Any:
        moments.pass_one()
        found = call(*values, **named)
        moments.pass_one()
        return found

    client._make_api_call = counted
    try:
        yield moments
    finally:
        if own is None:
            del client._make_api_call
        else:
            client._make_api_call = own
