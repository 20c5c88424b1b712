"""Every code that the specification lists is raised by the code, and a route can answer it."""

import ast
from collections import defaultdict
from functools import cache
from pathlib import Path

from helpdesk.accounts.oauth.errors import OAuthError, PageError
from helpdesk.platform.errors import AppError
from tests.architecture.test_errors_and_routes import ERRORS, ROUTES, SPECIFIED
from tests.support.rules import for_each
from tests.support.template import ROOT

# Specification: Errors, Codes, Not found; and those of members and integrations.
NOT_FOUND = (
    "conversation_not_found customer_not_found fact_not_found knowledge_doc_not_found knowledge_folder_not_found"
    " suggestion_not_found signal_not_found commit_not_found approval_not_found invite_not_found endpoint_not_found"
    " tool_not_found key_not_found org_not_found task_not_found log_not_found member_not_found channel_not_found"
    " role_not_found team_not_found commit_repo_not_found"
)
CODES = sorted({*NOT_FOUND.split(), *(code for codes in SPECIFIED.values() for code in codes.split())})
# Of every route, or of none: credentials, unknown addresses, what the gateway says of a failure.
ANYWHERE = frozenset(
    {
        "internal_error",
        "invalid_api_key",
        "invalid_token",
        "missing_api_key",
        "needs_a_person",
        "not_found",
        "publishable_key",
        "token_required",
    }
)


@cache
def _named() -> dict[str, set[Path]]:
    """Return the modules that use each name, other than where errors are defined and imports."""
    found: dict[str, set[Path]] = defaultdict(set)
    for path in (ROOT / "layers" / "core" / "helpdesk").rglob("*.py"):
        if path.name != "errors.py" or path.parent.name in {"platform", "integrations"}:
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Name):
                    found[node.id].add(path)
                elif isinstance(node, ast.Attribute):
                    found[node.attr].add(path)
    return found


def _errors_of(code: str) -> list[type[AppError]]:
    return [each for each in ERRORS if each.code == code and not issubclass(each, OAuthError | PageError)]


@for_each("code", CODES, ids=str)
def test_a_code_of_the_specification_is_raised(code: str) -> None:
    assert any(_named()[each.__name__] for each in _errors_of(code))


@for_each("code", [code for code in CODES if code not in ANYWHERE], ids=str)
def test_a_code_of_the_specification_is_answered_by_a_route(code: str) -> None:
    declared = {error.code for route in ROUTES for error in route.errors}

    assert code in declared
