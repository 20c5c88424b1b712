"""Knowledge suggestions on the command line."""

from pathlib import Path
from typing import Any

import pytest

from tests.support.api import Client
from tests.support.cli import Cli
from tests.support.suggestions import ANSWER, QUESTION, documents, suggested
from tests.support.workers import Workers


@pytest.fixture
def suggestion(api: Client) -> dict[str, Any]:
    """A suggestion of a new document."""
    return suggested(api, Workers("search"))


def test_suggestions_are_listed_and_shown(owner: Cli, api: Client, suggestion: dict[str, Any]) -> None:
    listed = owner.ok("knowledge", "suggestions", "--status", "pending")
    assert listed.splitlines()[0].split() == ["ID", "STATUS", "KIND", "QUESTIONS", "SUGGESTED", "TITLE"]
    assert suggestion["id"] in listed
    assert QUESTION in listed
    assert owner.json("knowledge", "suggestions", "list")["suggestions"] == [suggestion]
    shown = owner.ok("knowledge", "suggestions", "show", suggestion["id"])
    assert f"Question      {QUESTION}" in shown
    assert shown.endswith(f"\n{ANSWER}\n")
    assert owner.json("knowledge", "suggestions", "show", suggestion["id"]) == {"suggestion": suggestion}


def test_an_empty_list_says_so(owner: Cli) -> None:
    assert owner.ok("knowledge", "suggestions") == "There are no suggestions yet.\n"
    assert (
        owner.ok("knowledge", "suggestions", "--status", "dismissed")
        == "There are no dismissed suggestions.\n"
    )


def test_accepting_takes_another_title_and_text(
    owner: Cli, api: Client, suggestion: dict[str, Any], tmp_path: Path
) -> None:
    text = tmp_path / "exports.md"
    text.write_text("# Exports\n\nPress Export.\n", encoding="utf-8")

    said = owner.ok(
        "knowledge", "suggestions", "accept", suggestion["id"], "--title", "Exports", "--body-file", str(text)
    )

    (document,) = documents(api)
    assert said == f"Created document {document['id']}.\n"
    assert document["title"] == "Exports"
    assert api.get(f"/v1/knowledge/documents/{document['id']}").body["document"]["body"].endswith("Export.\n")
    again = owner.run("knowledge", "suggestions", "accept", suggestion["id"])
    assert again.exit_code == 1
    assert "See the decision: helpdesk knowledge suggestions show" in again.stderr


def test_dismissing(owner: Cli, suggestion: dict[str, Any]) -> None:
    assert (
        owner.ok("knowledge", "suggestions", "dismiss", suggestion["id"])
        == f"Dismissed {suggestion['id']}.\n"
    )
    assert owner.json("knowledge", "suggestions")["suggestions"][0]["status"] == "dismissed"


def test_an_unknown_suggestion_points_to_the_list(owner: Cli) -> None:
    refused = owner.run("knowledge", "suggestions", "show", "sug_01jd3s9t2x6h0k3m5n8p1q4r7v")
    assert refused.exit_code == 1
    assert "List them: helpdesk knowledge suggestions" in refused.stderr
