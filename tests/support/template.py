"""The template as the tests see it, so that what they run on is what is deployed."""

from pathlib import Path
from typing import Any

from scripts.template import expanded

ROOT = Path(__file__).resolve().parents[2]
MOST_LINES_OF_A_PART = 700
"""How long template.yaml and the files in template/ may be, so that a reader can keep each in mind."""


def template() -> dict[str, Any]:
    """Return template.yaml with its included files and its loops written out; intrinsic functions stay as dicts."""
    return expanded()


def table_properties() -> dict[str, Any]:
    """Return what create_table needs of the table's properties."""
    properties = template()["Resources"]["Table"]["Properties"]
    wanted = ("AttributeDefinitions", "KeySchema", "GlobalSecondaryIndexes", "BillingMode")
    return {
        **{name: properties[name] for name in wanted},
        "StreamSpecification": {"StreamEnabled": True, **properties["StreamSpecification"]},
    }


def policy_statements(name: str) -> list[dict[str, Any]]:
    """Return the statements of a policy (Messages: of MessagesPolicy), with the denials of its function's role."""
    resources = template()["Resources"]
    own: list[dict[str, Any]] = resources[f"{name}Policy"]["Properties"]["PolicyDocument"]["Statement"]
    inline = resources.get(f"{name}Role", {}).get("Properties", {}).get("Policies", [])
    denials = [
        statement
        for policy in inline
        if policy["PolicyName"] == "denials"
        for statement in policy["PolicyDocument"]["Statement"]
    ]
    return [*own, *denials]
