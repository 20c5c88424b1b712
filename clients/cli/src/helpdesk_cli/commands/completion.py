"""completion: completes commands and options in a shell."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from helpdesk_cli.framework import Command
from helpdesk_cli.output import say

_VARIABLE = "_HELPDESK_COMPLETE"


@click.command(cls=Command)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Write the script that completes commands and options in a shell.

    For example, add this line to ~/.bashrc: eval "$(helpdesk completion bash)"
    """
    kind = get_completion_class(shell)
    assert kind is not None  # noqa: S101 - click has a class for each choice
    say(kind(context.find_root().command, {}, "helpdesk", _VARIABLE).source())
