"""Decides what the role of a function may do, as IAM does, from the policies of template.yaml.

A name such as the table's stays the template's (`${Table.Arn}`) in policies and in requests. Policies that a deployment
may leave out, such as that of mail, count as present.
"""

from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from functools import cache
from typing import Any, NamedTuple

from scripts.template import included
from tests.support.grants import Grant
from tests.support.template import template


class Request(NamedTuple):
    """What IAM decides on: an action, a resource, and the values of a condition key."""

    action: str
    resource: str
    key: str = ""
    values: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Say what is requested, for a message."""
        return f"{self.action} on {self.resource}" + (f" for {' and '.join(self.values)}" if self.key else "")


class Statement(NamedTuple):
    """A statement of a policy, whose condition has one key at most."""

    allows: bool
    actions: tuple[str, ...]
    resources: tuple[str, ...]
    operator: str = ""
    key: str = ""
    patterns: tuple[str, ...] = ()

    def matches(self, request: Request) -> bool:
        """Whether the statement is about a request. Actions have no case."""
        values = request.values if request.key == self.key else ()
        return (
            _is_like(request.action.lower(), (each.lower() for each in self.actions))
            and _is_like(request.resource, self.resources)
            and _holds(self.operator, values, self.patterns)
        )

    def grants(self, function: str) -> Iterator[Grant]:
        """Yield what the statement allows, part by part."""
        for action in self.actions:
            for resource in self.resources:
                yield Grant(function, action, resource)
        for pattern in self.patterns:
            yield self.of(function, pattern)

    def of(self, function: str, pattern: str) -> Grant:
        """Return what the statement allows for a pattern, with whichever of its actions."""
        return Grant(function, " or ".join(self.actions), pattern)


def _is_like(value: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(value, pattern) for pattern in patterns)


def _holds(operator: str, values: tuple[str, ...], patterns: tuple[str, ...]) -> bool:
    match operator:
        case "":
            return True
        case "ForAllValues:StringLike":  # true also of a request without the key
            return all(_is_like(each, patterns) for each in values)
        case "ForAnyValue:StringLike":
            return any(_is_like(each, patterns) for each in values)
        case "StringEquals":
            return any(each in patterns for each in values)
    raise NotImplementedError(operator)


@cache
def statements(function: str) -> tuple[Statement, ...]:
    """Return the statements of all policies of a function's role."""
    role = template()["Resources"][f"{function}Role"]["Properties"]
    policies = included()["Resources"]  # as written: the expansion empties what the defaults leave out
    assert role.keys() <= {"AssumeRolePolicyDocument", "ManagedPolicyArns", "Policies"}
    attached = [
        *role.get("Policies", ()),
        *(policies[arn["Ref"]]["Properties"] for arn in role.get("ManagedPolicyArns", ())),
        *(
            each["Properties"]
            for name, each in policies.items()
            if name.endswith("Policy") and {"Ref": f"{function}Role"} in each["Properties"].get("Roles", ())
        ),
    ]
    return tuple(_read(each) for policy in attached for each in policy["PolicyDocument"]["Statement"])


def _read(statement: Mapping[str, Any]) -> Statement:
    assert statement.keys() <= {"Sid", "Effect", "Action", "Resource", "Condition"}
    found = statement["Effect"] == "Allow", _texts(statement["Action"]), _texts(statement["Resource"])
    if "Condition" not in statement:
        return Statement(*found)
    [(operator, keys)] = statement["Condition"].items()
    [(key, patterns)] = keys.items()
    return Statement(*found, operator, key, _texts(patterns))


def _texts(values: Any) -> tuple[str, ...]:
    return tuple(_text(each) for each in (values if isinstance(values, list) else [values]))


def _text(value: Any) -> str:
    """Return a value of the template as Fn::Sub would write it."""
    match value:
        case {"Ref": name}:
            return f"${{{name}}}"
        case {"Fn::GetAtt": [name, attribute]}:
            return f"${{{name}.{attribute}}}"
        case {"Fn::Sub": text}:
            return str(text)
    assert isinstance(value, str), value
    return value


def decide(function: str, request: Request) -> tuple[Grant, ...]:
    """Return what allows a request of a function; nothing where its role refuses it.

    Where two statements or patterns allow it, the first does: the other isn't needed for it.
    """
    matching = [each for each in statements(function) if each.matches(request)]
    if not matching or not all(each.allows for each in matching):
        return ()
    statement = matching[0]
    action = next(each for each in statement.actions if fnmatchcase(request.action, each))
    resource = next(each for each in statement.resources if fnmatchcase(request.resource, each))
    values = request.values if statement.key else ()
    patterns = {next(each for each in statement.patterns if fnmatchcase(value, each)) for value in values}
    return (Grant(function, action, resource), *(statement.of(function, each) for each in patterns))


# Lambda reads queues and streams, and writes logs and traces, by the function's role.
_BY_THE_PLATFORM = {
    *("sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"),
    *("dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator", "dynamodb:ListStreams"),
    *("logs:CreateLogStream", "logs:PutLogEvents", "xray:PutTraceSegments", "xray:PutTelemetryRecords"),
}


def all_grants() -> set[Grant]:
    """Return what the roles allow the code of all functions."""
    functions = [
        name.removesuffix("Function")
        for name, resource in template()["Resources"].items()
        if resource["Type"] == "AWS::Serverless::Function"
    ]
    return {
        grant
        for function in functions
        for statement in statements(function)
        if statement.allows
        for grant in statement.grants(function)
        if grant.allows not in _BY_THE_PLATFORM
    }
