"""template.yaml as the tests see it, so that what they run on is what is deployed."""

from functools import cache
from pathlib import Path
from typing import Any

from samtranslator.yaml_helper import yaml_parse  # type: ignore[import-untyped]

ROOT = Path(__file__).resolve().parents[2]


@cache
def template() -> dict[str, Any]:
    """Return the parsed template; intrinsic functions stay as dicts."""
    parsed: dict[str, Any] = yaml_parse((ROOT / "template.yaml").read_text())
    return parsed


def table_properties() -> dict[str, Any]:
    """Return what create_table needs of the table's properties."""
    properties = template()["Resources"]["Table"]["Properties"]
    wanted = ("AttributeDefinitions", "KeySchema", "GlobalSecondaryIndexes", "BillingMode")
    return {
        **{name: properties[name] for name in wanted},
        "StreamSpecification": {"StreamEnabled": True, **properties["StreamSpecification"]},
    }
