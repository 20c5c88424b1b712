"""The errors of this program, each with a hint.

    Problem              exit status 1: a message and what to do
      NotLoggedIn        no login is stored for the service
      Unreachable        no response
      NotHelpdesk        the address is not a Helpdesk API
      UnknownForm        a response has another form than this version expects
      Refusal            the API's error object
      OAuthRefusal       an OAuth error
      BrokenSettings     see settings.py
      UnusableSettings

An invalid command line is click's UsageError, exit status 2.
"""

from __future__ import annotations

import json
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
    """No login is stored for the service."""

    def __init__(self, base_url: str) -> None:
        super().__init__(
            f"You are not logged in to {base_url}.",
            f"Log in: helpdesk login --base-url {base_url}. In a script, set HELPDESK_TOKEN.",
        )


class Unreachable(Problem):
    """No response arrived. With `sent` the request may have reached the service."""

    def __init__(self, base_url: str, reason: str, *, sent: bool = False, method: str = "GET") -> None:
        hint = (
            "Check the address, and that the service is running. `make up` starts a local stack. "
            "Set another address with `helpdesk login --base-url URL` or HELPDESK_BASE_URL."
        )
        if sent and method != "GET":
            hint = "The request may have succeeded. Check before you repeat it. " + hint
        super().__init__(f"No response from {base_url} ({reason}).", hint)
        self.sent = sent


class NotHelpdesk(Problem):
    """The address responds, but not as a Helpdesk API does."""

    def __init__(self, base_url: str, answered: str) -> None:
        super().__init__(
            f"{base_url} is not a Helpdesk API ({answered}).",
            "Check the address: it is the part of the API's address before /v1. "
            "Set it with `helpdesk login --base-url URL` or HELPDESK_BASE_URL.",
        )


MALFORMED = (LookupError, TypeError, AttributeError, ValueError, ArithmeticError, RecursionError)
"""What Python raises where a command reads a response that has another form than the API describes."""


class UnknownForm(Problem):
    """A response has another form than this version of the program expects."""

    def __init__(self, error: Exception) -> None:
        super().__init__(
            f"The service's response cannot be read ({type(error).__name__}: {str(error)[:200]}).",
            "Update the program, or check the address with `helpdesk whoami`.",
        )


class Refusal(Problem):
    """The API's error object. `code` is stable; the message says how to fix it."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        retry_after: float | None = None,
        request_id: str | None = None,
    ) -> None:
        # A message that names a command says what to do already.
        hint = "" if "`helpdesk " in message else hint_for(code, status, retry_after, request_id)
        super().__init__(f"{code}: {message}", hint)
        self.said = message
        self.status = status
        self.code = code
        self.retry_after = retry_after


class ErrorAsJson(click.ClickException):
    """An error of a command with --json: one line of JSON on stderr, in the form of the API's error object.

    `code` is the API's, or the OAuth error; `usage_error` for an invalid command line; `client_error` for the rest.
    """

    def __init__(self, error: click.ClickException) -> None:
        super().__init__(error.format_message())
        self.exit_code = error.exit_code
        self._error = error

    def show(self, file: IO[Any] | None = None) -> None:
        """Write the object."""
        described = {"code": self._code(), "message": getattr(self._error, "said", self.message)}
        hint = getattr(self._error, "hint", "")
        text = json.dumps({"error": {**described, **({"hint": hint} if hint else {})}})
        click.echo(text, err=file is None, file=file)

    def _code(self) -> str:
        match self._error:
            case Refusal():
                return self._error.code
            case OAuthRefusal():
                return self._error.error
            case click.UsageError():
                return "usage_error"
        return "client_error"


class OAuthRefusal(Problem):
    """An OAuth error response (RFC 6749, section 5.2); `error` is its code."""

    def __init__(
        self, status: int, error: str, description: str, *, retry_after: float | None = None
    ) -> None:
        said = f"{error}: {description}" if description else error
        waiting = f"Try again in {retry_after:.0f} s." if retry_after else "Log in again: helpdesk login"
        super().__init__(said, waiting)
        self.status = status
        self.error = error
        self.retry_after = retry_after
