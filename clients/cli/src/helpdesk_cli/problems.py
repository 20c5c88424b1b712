"""What can go wrong, told to the person who can act.

    Problem              exit status 1: a sentence, and what to do
      NotLoggedIn        there is no stored login for the service
      Unreachable        no answer came
      NotHelpdesk        something answered that is not this API
      Refusal            the API's error object
      OAuthRefusal       an OAuth error
      BrokenSettings     see settings.py
      UnusableSettings

A wrong call is click's UsageError, exit status 2.
"""

from __future__ import annotations

from typing import IO, Any

import click

from helpdesk_cli.hints import hint_for
from helpdesk_cli.text import safe


class Problem(click.ClickException):
    """Something went wrong; `hint` says what to do."""

    exit_code = 1

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint

    def show(self, file: IO[Any] | None = None) -> None:
        """Write the message and the hint to stderr."""
        click.echo(safe(f"Error: {self.message}"), err=file is None, file=file)
        if self.hint:
            click.echo(safe(self.hint), err=file is None, file=file)


class NotLoggedIn(Problem):
    """There is no stored login for the service."""

    def __init__(self, base_url: str) -> None:
        super().__init__(
            f"You are not logged in to {base_url}.",
            f"Log in: helpdesk login --base-url {base_url}. In a script, set HELPDESK_TOKEN.",
        )


class Unreachable(Problem):
    """No answer came. `sent` tells whether the request may have arrived."""

    def __init__(self, base_url: str, reason: str, *, sent: bool = False, method: str = "GET") -> None:
        hint = (
            "Is the address right and the service running? A stack on this machine starts with `make up`; "
            "another address is set with `helpdesk login --base-url URL` or HELPDESK_BASE_URL."
        )
        if sent and method != "GET":
            hint = "It may have been carried out all the same: look before you repeat it. " + hint
        super().__init__(f"No answer from {base_url} ({reason}).", hint)
        self.sent = sent


class NotHelpdesk(Problem):
    """Something answered that is not this API."""

    def __init__(self, base_url: str, answered: str) -> None:
        super().__init__(
            f"What answers at {base_url} is not a Helpdesk ({answered}).",
            "Check the address: it is what stands before /v1 in the address of the API. "
            "Set it with `helpdesk login --base-url URL` or HELPDESK_BASE_URL.",
        )


class Refusal(Problem):
    """The API's error object: `code` is stable, the message names the fix."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        retry_after: float | None = None,
        request_id: str | None = None,
    ) -> None:
        super().__init__(f"{code}: {message}", hint_for(code, status, retry_after, request_id))
        self.status = status
        self.code = code
        self.retry_after = retry_after


class OAuthRefusal(Problem):
    """An error in OAuth's own form (RFC 6749, 5.2); `error` is its code."""

    def __init__(
        self, status: int, error: str, description: str, *, retry_after: float | None = None
    ) -> None:
        said = f"{error}: {description}" if description else error
        waiting = f"Try again in {retry_after:.0f} s." if retry_after else "Log in again: helpdesk login"
        super().__init__(said, waiting)
        self.status = status
        self.error = error
        self.retry_after = retry_after
