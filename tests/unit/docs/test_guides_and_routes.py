"""The guides against the code: what they describe is there, and what is there is described."""

from __future__ import annotations

import importlib.util
import re
import shlex
from pathlib import Path

import pytest

from helpdesk.agent.record import AgentSettings
from helpdesk.api.admission.limits import RATES, VERSION, RequestClass
from helpdesk.api.logs.kinds import LogKind
from helpdesk.api.routing.api import Api, Route
from helpdesk.events.kinds import OwnEvent, WebhookEvent
from helpdesk.platform.errors import AppError
from scripts import admin
from tests.support.template import template

FUNCTION = "AWS::Serverless::Function"
ROOT = Path(__file__).parents[3]
GUIDES = sorted((ROOT / "docs" / "guides").glob("*.md"))

# Codes that every route can answer, by what stands before it (admission, parsing) or by its failure.
OF_EVERY_ROUTE = {
    ("missing_api_key", 401),
    ("invalid_api_key", 401),
    ("publishable_key", 401),
    ("invalid_token", 401),
    ("token_required", 401),
    ("forbidden", 403),
    ("insufficient_scope", 403),
    ("needs_a_person", 400),
    ("no_organization", 403),
    ("invalid_json", 400),
    ("invalid_request", 400),
    ("not_found", 404),
    ("rate_limited", 429),
    ("conflict", 409),
    ("internal_error", 500),
    # Of every POST under an Idempotency-Key.
    ("idempotency_mismatch", 422),
    ("idempotency_in_progress", 409),
    ("idempotency_answer_lost", 409),
    ("idempotency_answer_withheld", 409),
}


def routes() -> list[Route]:
    found: list[Route] = []
    for app in sorted((ROOT / "functions").glob("*/app.py")):
        spec = importlib.util.spec_from_file_location(f"guides_{app.parent.name}", app)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        if "Api()" not in app.read_text(encoding="utf-8"):
            continue  # a worker, which may need libraries of its own to be imported
        spec.loader.exec_module(module)
        api = getattr(module, "api", None)
        if isinstance(api, Api):
            found += api.routes
    return found


def described_codes() -> set[tuple[str, int]]:
    # OAuth's codes are a language of their own, and stand in its guide; so do those of tasks, analytics and the board.
    names = ("errors.md", "analytics.md", "board.md", "signals.md", "tasks.md", "integrations.md", "oauth.md")
    pages = [ROOT / "docs" / "guides" / name for name in names]
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    return {
        (code, int(status)) for code, status in re.findall(r"^\| `(\w+)` \| (\d{3}) \|", text, re.MULTILINE)
    }


def codes(errors: tuple[type[AppError], ...]) -> set[tuple[str, int]]:
    return {(error.code, error.status) for error in errors}


def described_paths() -> set[str]:
    text = "\n".join(guide.read_text(encoding="utf-8") for guide in GUIDES)
    paths = re.findall(r"/v1(/[a-z_/{}$A-Z.-]+)", text)
    # The guide of an app names the addresses that the operator enters at the service.
    paths = [re.sub(r"^/(connect|hooks)/[a-z]+", r"/\1/{app}", path) for path in paths]
    return {re.sub(r"\{\w+\}|\$[A-Z]+", "{}", path).rstrip("/.") for path in paths}


def test_the_guide_to_errors_holds_every_code_that_a_route_can_answer_and_no_other() -> None:
    answered = OF_EVERY_ROUTE.union(*(codes(route.errors) for route in routes()))
    assert described_codes() == answered


def test_the_guides_describe_every_path_and_no_other() -> None:
    served = {re.sub(r"<\w+>", "{}", route.path.removeprefix("/v1")) for route in routes()}
    # Those that the text names as families: "the routes under …", and an address cut short.
    assert described_paths() - {"/knowledge", "/files", "/invite"} == served


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE"])
def test_a_method_and_path_named_together_is_a_route(method: str) -> None:
    served = {(route.method, re.sub(r"<\w+>", "{}", route.path)) for route in routes()}
    text = "\n".join(guide.read_text(encoding="utf-8") for guide in GUIDES)
    named = {re.sub(r"\{\w+\}", "{}", path) for path in re.findall(rf"`{method} (/v1/[a-z/{{}}.-]+)", text)}
    assert {(method, path) for path in named} <= served


def commands() -> list[list[str]]:
    """The commands of all examples for a shell, in words."""
    found = []
    for guide in GUIDES:
        for block in re.findall(
            r"^```sh\n(.*?)^```$", guide.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
        ):
            lines = re.sub(r"<[\w ]+>", "PLACEHOLDER", block.replace("\\\n", " ")).splitlines()
            found += [shlex.split(line, comments=True) for line in lines if line.count("'") % 2 == 0]
    return found


def test_every_example_of_the_operators_command_is_one_that_it_takes() -> None:
    examples = [words[words.index("scripts.admin") + 1 :] for words in commands() if "scripts.admin" in words]
    assert {"create-organization", "set-plan"} <= {word for words in examples for word in words}
    for words in examples:
        if "--help" not in words:
            admin._parser().parse_args(words)


def test_every_make_target_that_a_guide_names_is_there() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = {words[1] for words in commands() if words[:1] == ["make"]}
    for guide in GUIDES:
        named |= set(re.findall(r"`make ([a-z-]+)", guide.read_text(encoding="utf-8")))
    assert named <= targets


def test_the_guide_to_deploying_lists_the_templates_parameters_with_their_defaults() -> None:
    defaults = {
        name: str(parameter.get("Default", "")) for name, parameter in template()["Parameters"].items()
    }
    guide = (ROOT / "docs" / "guides" / "deploying.md").read_text(encoding="utf-8")
    described = dict(re.findall(r"^\| `([A-Z<][\w>]+)` \| ([^|]*?) \|", guide, re.MULTILINE))
    # One row stands for the parameter of each function.
    reserved = described.pop("<Function>ReservedConcurrency")
    functions = [name for name, each in template()["Resources"].items() if each["Type"] == FUNCTION]
    described |= {f"{name.removesuffix('Function')}ReservedConcurrency": reserved for name in functions}
    assert {
        name: "" if value == "empty" else value.strip("`") for name, value in described.items()
    } == defaults


def test_the_guide_to_limits_lists_the_tiers_as_they_are() -> None:
    guide = (ROOT / "docs" / "guides" / "rate-limits.md").read_text(encoding="utf-8")
    for tier, rates in RATES.items():
        row = next(line for line in guide.splitlines() if line.startswith(f"| `{tier}` |"))
        cells = [f"{rates[kind].per_minute:,}, burst {rates[kind].burst:,}" for kind in RequestClass]
        assert row.endswith(f"| {' | '.join(cells)} |")
    assert f'"version": "{VERSION}"' in guide


def test_the_guides_to_webhooks_name_every_kind_of_event() -> None:
    text = "".join(
        (ROOT / "docs" / "guides" / name).read_text(encoding="utf-8")
        for name in ("webhooks.md", "webhook-history.md")
    )
    for kind in (*WebhookEvent, *OwnEvent):
        assert f"`{kind.value}`" in text


def test_the_guide_to_logs_lists_every_kind() -> None:
    guide = (ROOT / "docs" / "guides" / "logs.md").read_text(encoding="utf-8")
    for kind in LogKind:
        assert f"`{kind.value}`" in guide


def test_the_guide_to_the_agent_lists_the_settings_with_their_defaults() -> None:
    guide = (ROOT / "docs" / "guides" / "the-agent.md").read_text(encoding="utf-8")
    settings = AgentSettings(organization="org_1")
    for name, default in settings.to_item().items():
        if name in settings.key.attributes():
            continue
        shown = (
            "empty"
            if default == ""
            else str(default).lower()
            if isinstance(default, bool)
            else f"`{default}`"
        )
        assert f"| `{name}` | {shown} |" in guide
