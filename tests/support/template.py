"""The template as the tests see it, so that what they run on is what is deployed."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from scripts.template import expanded, included

ROOT = Path(__file__).resolve().parents[2]
MOST_LINES_OF_A_PART = 750
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


def environment(function: str, **given: str) -> dict[str, str]:
    """Return the variables that a function (IntegrationWorker) has with the template's defaults, but for those given.

    A resource stands as its logical ID: `${Api}` as `Api`.
    """
    whole = included()  # in which nothing of Fn::If is decided
    parameters = {name: str(each.get("Default", "")) for name, each in whole["Parameters"].items()} | given
    resolver = _Resolver(parameters, whole["Conditions"])
    variables = [
        whole["Globals"]["Function"]["Environment"]["Variables"],
        whole["Resources"][f"{function}Function"]["Properties"]["Environment"]["Variables"],
    ]
    return {name: resolver.text(value) for each in variables for name, value in each.items()}


class _Resolver:
    """CloudFormation's functions, as far as the environments of functions and their conditions use them."""

    _PSEUDO: Final = {
        "AWS::Region": "us-east-1",
        "AWS::URLSuffix": "amazonaws.com",
        "AWS::StackName": "helpdesk",
    }

    def __init__(self, parameters: Mapping[str, str], conditions: Mapping[str, Any]) -> None:
        self._names = {**self._PSEUDO, **parameters}
        self._conditions = conditions

    def text(self, value: Any) -> str:
        if not isinstance(value, dict):
            return str(value)
        [(function, argument)] = value.items()
        match function:
            case "Ref":
                return self._names.get(str(argument), str(argument))
            case "Fn::Sub":
                return re.sub(r"\$\{([^}]+)\}", lambda found: self._names.get(found[1], found[1]), argument)
            case "Fn::If":
                condition, met, otherwise = argument
                return self.text(met if self._holds(self._conditions[condition]) else otherwise)
        raise ValueError(f"{function} is not used in environments yet")

    def _holds(self, condition: Any) -> bool:
        [(function, argument)] = condition.items()
        match function:
            case "Fn::Equals":
                first, second = map(self.text, argument)
                return first == second
            case "Fn::Not":
                return not self._holds(argument[0])
        raise ValueError(f"{function} is not used in conditions of environments yet")
