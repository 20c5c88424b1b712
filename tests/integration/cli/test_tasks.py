"""The task board and reports of commits on the command line."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from helpdesk.accounts.organizations.schemas import NewOrganization
from tests.support.api import Client
from tests.support.cards import file
from tests.support.cli import Cli, Handlers
from tests.support.template import ROOT

EXAMPLES = ROOT / "clients" / "examples" / "ci"


def test_cards_are_added_moved_and_listed(owner: Cli) -> None:
    assert owner.ok("tasks", "add", "Pack faster", "--priority", "high") == "Added ORG-1.\n"
    owner.ok("tasks", "add", "Pack better")
    assert owner.ok("tasks", "move", "ORG-2", "--before", "ORG-1") == "ORG-2 is in planned.\n"
    assert owner.ok("tasks", "move", "ORG-1", "in_review") == "ORG-1 is in in_review.\n"

    listed = owner.ok("tasks").splitlines()
    assert listed[0].split() == ["KEY", "STATUS", "PRIORITY", "ASSIGNEE", "TITLE"]
    assert [line.split()[0] for line in listed[1:]] == ["ORG-2", "ORG-1"]
    assert [each["key"] for each in owner.json("tasks", "--status", "in_review")["tasks"]] == ["ORG-1"]
    assert owner.run("tasks", "move", "ORG-1").exit_code == 2
    assert "List them: helpdesk tasks" in owner.run("tasks", "move", "ORG-9", "done").stderr


def test_requests_are_adopted_and_declined(owner: Cli, api: Client) -> None:
    first, second = file(api, "Exports stop"), file(api, "Imports stop")

    assert second in owner.ok("tasks", "requests")
    assert owner.ok("tasks", "adopt", first) == "Adopted as ORG-1.\n"
    assert owner.ok("tasks", "decline", second) == f"Declined {second}.\n"
    assert owner.ok("tasks", "requests") == "No request waits for a decision.\n"


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with three commits, in which the program runs."""
    folder = tmp_path / "checkout"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    for message in ("First", "See ORG-1", "Tax rates\n\nfixes ORG-1"):
        who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.com")
        git(folder, *who, "commit", "-q", "--allow-empty", "-m", message)
    monkeypatch.chdir(folder)
    return folder


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def test_new_commits_of_a_checkout_are_reported_once(owner: Cli, api: Client, checkout: Path) -> None:
    api.post("/v1/tasks", {"title": "Tax"})
    since = git(checkout, "rev-parse", "HEAD~1")

    assert owner.ok("commits", "report", "--repo", "acme/shop", "--since", since) == (
        "Reported 1 commits.\nORG-1  done  moved\n"
    )
    assert owner.ok("commits", "report", "--repo", "acme/shop") == "Reported 3 commits.\nORG-1  done\n"
    assert api.get("/v1/tasks/ORG-1").body["task"]["commits"] == 2
    assert owner.run("commits", "report").exit_code == 2


CIS: list[tuple[str, dict[str, str], dict[str, Any] | None]] = [
    (
        "GitHub Actions, a push",
        {"GITHUB_ACTIONS": "true", "GITHUB_REPOSITORY": "acme/shop", "GITHUB_REF_NAME": "main"},
        {"before": "HEAD~1", "repository": {"default_branch": "main", "pushed_at": 1_763_683_199}},
    ),
    (
        "GitLab CI, a push",
        {
            "GITLAB_CI": "true",
            "CI_PROJECT_PATH": "acme/shop",
            "CI_COMMIT_BRANCH": "main",
            "CI_DEFAULT_BRANCH": "main",
            "CI_PROJECT_URL": "https://gitlab.example.com/acme/shop",
            "CI_COMMIT_BEFORE_SHA": "0" * 40,
            "CI_PIPELINE_CREATED_AT": "2025-11-21T08:00:00Z",
        },
        None,
    ),
]


@pytest.mark.parametrize(("variables", "event"), [case[1:] for case in CIS], ids=[case[0] for case in CIS])
def test_a_ci_needs_no_option(
    api: Client,
    organization: NewOrganization,
    handlers: Handlers,
    checkout: Path,
    tmp_path: Path,
    variables: dict[str, str],
    event: dict[str, Any] | None,
) -> None:
    api.post("/v1/tasks", {"title": "Tax"})
    if event is not None:
        path = tmp_path / "event.json"
        path.write_text(json.dumps({**event, "before": git(checkout, "rev-parse", event["before"])}))
        variables = {**variables, "GITHUB_EVENT_PATH": str(path)}
    ci = Cli(handlers, tmp_path, environment={"HELPDESK_TOKEN": organization.secret_key, **variables})

    assert "ORG-1  done  moved" in ci.ok("commits", "report")

    shown = api.get("/v1/tasks/ORG-1").body
    head = git(checkout, "rev-parse", "HEAD")
    assert any(each["url"].endswith(f"/commit/{head}") for each in shown["commits"])


def test_a_pull_request_of_a_ci_moves_its_card(
    api: Client, organization: NewOrganization, handlers: Handlers, checkout: Path, tmp_path: Path
) -> None:
    api.post("/v1/tasks", {"title": "Tax"})
    request = {"number": 7, "title": "ORG-1: tax", "html_url": "https://git.example.com/7", "state": "open"}
    path = tmp_path / "event.json"
    path.write_text(json.dumps({"pull_request": request, "repository": {"default_branch": "main"}}))
    variables = {"GITHUB_ACTIONS": "true", "GITHUB_REPOSITORY": "acme/shop", "GITHUB_REF_NAME": "7/merge"}
    token = {"HELPDESK_TOKEN": organization.secret_key, "GITHUB_EVENT_PATH": str(path)}

    said = Cli(handlers, tmp_path, environment={**variables, **token}).ok("commits", "report")

    assert said == "Reported 0 commits and a pull request.\nORG-1  in_review  moved\n"
    assert checkout.exists()


def test_the_examples_for_cis_run_the_command_with_its_variables() -> None:
    github = yaml.safe_load((EXAMPLES / "github-actions.yml").read_text())
    steps = github["jobs"]["report"]["steps"]
    assert steps[-1]["run"] == "helpdesk commits report"
    assert steps[-1]["env"].keys() == {"HELPDESK_BASE_URL", "HELPDESK_TOKEN"}
    assert steps[0]["with"]["fetch-depth"] == 100
    assert {"push", "pull_request"} == github[True].keys()  # YAML reads `on` so

    gitlab = yaml.safe_load((EXAMPLES / "gitlab-ci.yml").read_text())["helpdesk"]
    assert gitlab["script"] == ["helpdesk commits report"]
    assert gitlab["variables"].keys() == {"GIT_DEPTH", "HELPDESK_BASE_URL"}
