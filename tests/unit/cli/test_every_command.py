"""Every command, against a service whose responses are hostile: text that controls terminals, and other forms."""

import contextlib
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import click
import httpx
import pytest
from click.testing import Result

from helpdesk_cli.main import main
from tests.support.cli import Cli

OPENAPI = json.loads(Path("docs/openapi.json").read_text(encoding="utf-8"))
HOSTILE = "a\x1b]0;title\x07\x1b[2J\x9b1m\u202e\u2066\u200f\x08\rb"
UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
STYLE = re.compile("\x1b\\[[01]m")
MALFORMED = [
    b"", b"<html>", b"[]", b'{"a":', b'{"a":' * 50_000, b"{}", b'"\xff"', b'{"conversations": [[]], "signals": 1e999}',
]  # fmt: skip


def commands(group: click.Group = main, words: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Return the words of every command."""
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, (*words, name))
        else:
            yield (*words, name)


def given(words: tuple[str, ...], folder: Path) -> list[str]:
    """Return a command line with everything that the command requires."""
    command: click.Command = main
    for word in words:
        assert isinstance(command, click.Group)
        command = command.commands[word]
    line = list(words)
    for parameter in command.params:
        if parameter.required:
            value = _value(parameter, folder)
            line += [value] if isinstance(parameter, click.Argument) else [parameter.opts[0], value]
    return [*line, *(["--yes"] if any("--yes" in each.opts for each in command.params) else [])]


def _value(parameter: click.Parameter, folder: Path) -> str:
    match parameter.type:
        case click.Choice():
            return str(parameter.type.choices[0])
        case click.IntRange() | click.types.IntParamType():
            return "1"
        case click.Path():
            path = folder / ("folder" if parameter.type.dir_okay else "file.json")
            path.mkdir(exist_ok=True) if parameter.type.dir_okay else path.write_text("{}", encoding="utf-8")
            return str(path)
    return "ada@example.com" if "email" in (parameter.name or "") else "x_1"


def sample(schema: dict[str, Any], depth: int = 0) -> Any:
    """Return a value of a schema, in which every free text is hostile."""
    if "$ref" in schema:
        schema = OPENAPI["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    if "anyOf" in schema:
        return sample(next(each for each in schema["anyOf"] if each.get("type") != "null"), depth)
    if "enum" in schema or "const" in schema:
        return schema.get("const", schema.get("enum", [None])[0])
    match schema.get("type"):
        case "object":
            found = {name: sample(each, depth + 1) for name, each in schema.get("properties", {}).items()}
            found |= {"nextCursor": None} if "nextCursor" in found else {}
            return found or {HOSTILE: HOSTILE}
        case "array":
            return [sample(schema.get("items", {}), depth + 1)] if depth < 8 else []
        case "integer" | "number":
            return 1
        case "boolean":
            return True
    return HOSTILE


@cache
def answers() -> list[tuple[str, re.Pattern[str], Any]]:
    """Return a hostile response for each operation: its method, and the pattern of its path."""
    found = []
    for path, operations in OPENAPI["paths"].items():
        pattern = re.compile(re.sub(r"\{[^}]+\}", "[^/]+", path))
        for method, operation in operations.items():
            said: dict[str, Any] = next(
                (
                    operation["responses"][each]
                    for each in ("200", "201", "202")
                    if each in operation["responses"]
                ),
                {},
            )
            schema = said.get("content", {}).get("application/json", {}).get("schema")
            if schema is not None:
                found.append((method.upper(), pattern, sample(schema)))
    return found


def hostile(request: httpx.Request) -> httpx.Response:
    """Answer as the API describes, with hostile text."""
    path = request.url.path.removeprefix("/helpdesk")
    said = next(
        (said for method, pattern, said in answers() if method == request.method and pattern.fullmatch(path)),
        {"ok": True},
    )
    return httpx.Response(200, content=json.dumps(said))


def run(words: tuple[str, ...], folder: Path, transport: httpx.MockTransport, *options: str) -> Result:
    """Run a command; one that waits for long is interrupted."""
    user = Cli(transport, folder, environment={"HELPDESK_TOKEN": "svc_oat_x"})

    def interrupt(_: float) -> None:
        if len(user.clock.slept) > 3:
            raise KeyboardInterrupt

    user.clock.before_sleep = interrupt
    with contextlib.chdir(folder):  # some commands write files
        return user.run(*given(words, folder), *options, stdin="{}\n", color=True)


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_no_command_prints_what_controls_a_terminal(tmp_path: Path, options: tuple[str, ...]) -> None:
    found = {words: run(words, tmp_path, httpx.MockTransport(hostile), *options) for words in commands()}
    printed = {words: STYLE.sub("", result.stdout + result.stderr) for words, result in found.items()}

    assert {words for words, text in printed.items() if UNSAFE.search(text)} == set()
    # Most commands print something of the response, so that the line above says something.
    assert sum("\ufffd" in text or "\\u202e" in text for text in printed.values()) > 40


@pytest.mark.parametrize("content", MALFORMED, ids=lambda content: content[:12].decode(errors="replace"))
def test_no_command_has_a_traceback_on_a_malformed_response(tmp_path: Path, content: bytes) -> None:
    transport = httpx.MockTransport(lambda _: httpx.Response(200, content=content))
    found = {words: run(words, tmp_path, transport) for words in commands()}

    wrong = {
        words: result.exception
        for words, result in found.items()
        if type(result.exception) not in {type(None), SystemExit}
    }
    assert wrong == {}
    assert {
        words
        for words, result in found.items()
        if "Error" not in result.stderr and result.exit_code not in {0, 1, 2}
    } == set()


@pytest.mark.parametrize(
    "members",
    [[], [{"userId": "usr_1", "name": "A", "email": "a@example.com", "role": "member", "joinedAt": 1}]],
)
def test_a_list_that_does_not_end_is_reported(tmp_path: Path, members: list[dict[str, Any]]) -> None:
    def page(_: httpx.Request) -> httpx.Response:
        return httpx.Response(200, json={"members": members, "nextCursor": "again"})

    result = Cli(httpx.MockTransport(page), tmp_path, environment={"HELPDESK_TOKEN": "svc_oat_x"}).run(
        "members"
    )

    assert result.exit_code == 1
    assert "its list of members does not end" in result.stderr


def test_only_the_modules_that_make_text_safe_print() -> None:
    package = Path("clients/cli/src/helpdesk_cli")
    prints = re.compile(r"click\.s?echo\(|\bprint\(|sys\.std(out|err)\.write|click\.confirm\(")

    assert {
        str(path.relative_to(package))
        for path in package.rglob("*.py")
        if prints.search(path.read_text(encoding="utf-8"))
    } == {"output.py", "problems.py"}
