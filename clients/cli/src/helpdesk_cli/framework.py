"""What every command has in common: --json and --base-url, and `list` as the default command of a group."""

from __future__ import annotations

from typing import Any

import click

from helpdesk_cli.address import normalized
from helpdesk_cli.problems import MALFORMED, ErrorAsJson, UnknownForm
from helpdesk_cli.session import Session
from helpdesk_cli.text import safe


def _set_json(context: click.Context, _parameter: click.Parameter, value: bool) -> None:  # noqa: FBT001
    if value:
        context.ensure_object(Session).as_json = True


def _set_base_url(context: click.Context, _parameter: click.Parameter, value: str | None) -> None:
    if value is not None:
        context.ensure_object(Session).given_base_url = normalized(value)


def _common() -> list[click.Parameter]:
    return [
        click.Option(
            ["--json"],
            is_flag=True,
            expose_value=False,
            callback=_set_json,
            help="Write the API's response as JSON to stdout, and nothing else.",
        ),
        click.Option(
            ["--base-url"],
            metavar="URL",
            expose_value=False,
            callback=_set_base_url,
            help="The service's address, up to /v1. [default: HELPDESK_BASE_URL, else the last login]",
        ),
    ]


class Command(click.Command):
    """A command with the common options."""

    def __init__(
        self, name: str | None, params: list[click.Parameter] | None = None, **declared: Any
    ) -> None:
        super().__init__(name, params=[*(params or []), *_common()], **declared)


class Listing(click.Group):
    """A group with `list` as its default command."""

    command_class = Command
    default = "list"

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Insert the default command when none is given."""
        if not args or (args[0].startswith("-") and args[0] not in ctx.help_option_names):
            args = [self.default, *args]
        return super().parse_args(ctx, args)


class Settings(Listing):
    """A group with `show` as its default command."""

    default = "show"


class Main(click.Group):
    """The program's own group. The common options may precede a command, too."""

    command_class = Command
    group_class = Listing

    def __init__(
        self, name: str | None = None, params: list[click.Parameter] | None = None, **declared: Any
    ) -> None:
        super().__init__(name, params=[*(params or []), *_common()], **declared)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. With --json, an error is written as JSON. A malformed response is an error, too."""
        wants_json = "--json" in ctx.args  # also where the command line is invalid before it
        try:
            try:
                return super().invoke(ctx)
            except MALFORMED as error:
                raise UnknownForm(error) from error
        except click.ClickException as error:
            error.message = safe(error.message)
            if wants_json or ctx.ensure_object(Session).as_json:
                raise ErrorAsJson(error) from error
            raise


class Id(click.ParamType):
    """An ID, as a list shows it, or its beginning."""

    name = "id"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Reject text that would address a different route, such as an empty ID or `..`."""
        text = str(value).strip()
        if not text.strip("."):
            self.fail("an ID cannot be empty; `list` shows the IDs", param, ctx)
        return text


ID = Id()


limit_option = click.option(
    "--limit", type=click.IntRange(min=1), default=50, show_default=True, help="Maximum number of entries."
)
"""The maximum number of entries of a list, over as many pages as needed."""
