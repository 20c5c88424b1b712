"""The guides and the README name every command, and each of their examples is valid."""

import re
import shlex
from pathlib import Path

import click
import pytest

from helpdesk.events.kinds import WebhookEvent
from helpdesk_cli.commands.webhooks import _SENT
from helpdesk_cli.main import main
from tests.support.cli import Cli, answering
from tests.support.template import ROOT

GUIDE = ROOT / "docs" / "guides" / "command-line.md"
IMPORT = ROOT / "docs" / "guides" / "knowledge-import.md"
INBOX = ROOT / "docs" / "guides" / "inbox.md"
PAGE = ROOT / "clients" / "cli" / "README.md"


def commands() -> set[str]:
    found = set()
    for name, command in main.commands.items():
        if isinstance(command, click.Group):
            for one, inner in command.commands.items():
                nested = inner.commands if isinstance(inner, click.Group) else [""]
                found |= {f"{name} {one} {each}".strip() for each in nested}
        else:
            found.add(name)
    return found


def examples() -> list[str]:
    text = "".join(page.read_text(encoding="utf-8") for page in (GUIDE, INBOX, IMPORT))
    lines = [re.split(r" [|<>#] ", line)[0] for line in re.findall(r"^helpdesk .*$", text, re.MULTILINE)]
    rows = "\n".join(re.findall(r"^\| `helpdesk .*$", text, re.MULTILINE))
    return sorted(
        {*lines, *(f"helpdesk {words.removeprefix('helpdesk ')}" for words in re.findall(r"`([^`]+)`", rows))}
    )


def test_there_are_examples() -> None:
    assert len(examples()) > 30


@pytest.mark.parametrize("example", examples())
def test_an_example_is_a_valid_command_line(example: str, tmp_path: Path) -> None:
    user = Cli(answering({}), tmp_path, environment={"HELPDESK_TOKEN": "svc_oat_x"})
    words = shlex.split(example, comments=True)[1:]
    assert user.run(*words).exit_code != 2


@pytest.mark.parametrize("command", sorted(commands()))
def test_a_command_is_in_the_guide_and_in_the_readme_and_has_help(command: str, tmp_path: Path) -> None:
    group, _, name = command.partition(" ")
    for page in (GUIDE, PAGE):
        lines = page.read_text(encoding="utf-8").splitlines()
        rows = [line for line in lines if re.match(rf"\| `helpdesk .*?\b{group}\b", line)]
        assert any(name in row for row in rows), page.name
    shown = Cli(answering({}), tmp_path).ok(*command.split(), "--help")
    assert "--json" in shown
    assert "--base-url" in shown


def test_the_help_of_an_endpoint_names_every_event_that_is_sent() -> None:
    assert set(_SENT.split(", ")) == {kind.value for kind in WebhookEvent}
