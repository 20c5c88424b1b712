"""What IAM decides on for a call to AWS: actions, resources and condition keys, with the names of template.yaml."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from email.utils import parseaddr
from functools import cache
from typing import Any, Final

from helpdesk.platform.settings import settings
from scripts.template import included
from tests.support.policies import Request

type Params = Mapping[str, Any]

_ARN: Final = "arn:${AWS::Partition}"
_HERE: Final = "${AWS::Region}:${AWS::AccountId}"


def requests_of(service: str, operation: str, params: Params) -> Iterator[Request]:
    """Yield what IAM decides on for a call, which is all refused if one of them is."""
    yield from _SERVICES[service](operation, params)


# ---- DynamoDB --------------------------------------------------------------------------------------------------


def _of_dynamodb(operation: str, params: Params) -> Iterator[Request]:
    """A transaction has no action of its own: IAM decides on each one inside. A batch is one action, with all keys."""
    match operation:
        case "TransactWriteItems":
            for action in params["TransactItems"]:
                for kind, part in action.items():
                    yield _on_items(f"{kind}Item", [part])
        case "BatchGetItem":
            for wanted in params["RequestItems"].values():
                yield _on_items(operation, [{"Key": key} for key in wanted["Keys"]])
        case "BatchWriteItem":
            for parts in params["RequestItems"].values():
                yield _on_items(operation, [part for each in parts for part in each.values()])
        case "Query":
            value = params["KeyConditionExpression"].split()[2]  # #pk = :pk
            key = {"PK": params["ExpressionAttributeValues"][value]}
            yield _on_items(operation, [{"Key": key}], params.get("IndexName"))
        case _:
            yield _on_items(operation, [params])


def _on_items(operation: str, parts: Sequence[Params], index: str | None = None) -> Request:
    keys = {_shape((each.get("Key") or each["Item"])["PK"]["S"]) for each in parts}
    resource = f"${{Table.Arn}}/index/{index}" if index else "${Table.Arn}"
    return Request(f"dynamodb:{operation}", resource, "dynamodb:LeadingKeys", tuple(sorted(keys)))


_VALUE: Final = re.compile(r"[^#]*[^#A-Z][^#]*")


def _shape(key: str) -> str:
    """Return a partition key without its values, which no policy names: few decisions serve all calls of a run."""
    return _VALUE.sub("x", key)


# ---- S3 --------------------------------------------------------------------------------------------------------


def _of_s3(operation: str, params: Params) -> Iterator[Request]:
    match operation:
        case "CopyObject":
            yield on_object("GetObject", params["CopySource"]["Bucket"], params["CopySource"]["Key"])
            yield on_object("PutObject", params["Bucket"], params["Key"])
        case "DeleteObjects":
            for each in params["Delete"]["Objects"]:
                yield on_object("DeleteObject", params["Bucket"], each["Key"])
        case "HeadObject":  # which has no action of its own
            yield on_object("GetObject", params["Bucket"], params["Key"])
        case "ListObjectsV2":
            yield listing(params["Bucket"])
        case _:
            yield on_object(operation, params["Bucket"], params["Key"])


def on_object(operation: str, bucket: str, key: str) -> Request:
    """Return what IAM decides on for one object."""
    return Request(f"s3:{operation}", f"${{{_named(bucket)}.Arn}}/{key}")


def listing(bucket: str) -> Request:
    """Return the permission to list a bucket, without which S3 answers for a missing object that it's forbidden."""
    return Request("s3:ListBucket", f"${{{_named(bucket)}.Arn}}")


# ---- other services --------------------------------------------------------------------------------------------


def _of_sqs(operation: str, params: Params) -> Iterator[Request]:
    """A batch has no action of its own."""
    yield Request(f"sqs:{operation.removesuffix('Batch')}", f"${{{_named(params['QueueUrl'])}.Arn}}")


def _of_ses(operation: str, params: Params) -> Iterator[Request]:
    """An identity may have a configuration set, which then is a resource of the request too."""
    _, address = parseaddr(params["FromEmailAddress"])
    sender = f"${{{_named(address)}}}"
    for kind in ("identity", "configuration-set"):
        yield Request(f"ses:{operation}", f"{_ARN}:ses:{_HERE}:{kind}/any", "ses:FromAddress", (sender,))


_PROFILE: Final = re.compile(r"[a-z]+\.[a-z0-9]+\.")  # eu.amazon.nova-lite-v1:0


def _of_bedrock(_: str, params: Params) -> Iterator[Request]:
    """A profile is a resource of the request, and so is each model behind it. A guardrail may have a profile, too."""
    model = f"${{{_named(params['modelId'])}}}"
    invoke = "bedrock:InvokeModel"
    if _PROFILE.match(params["modelId"]):
        profile = f"{_ARN}:bedrock:{_HERE}:inference-profile/{model}"
        behind = f"{_ARN}:bedrock:any::foundation-model/any"
        yield Request(invoke, profile)
        yield Request(invoke, behind, "bedrock:InferenceProfileArn", (profile,))
    else:
        yield Request(invoke, f"{_ARN}:bedrock:${{AWS::Region}}::foundation-model/{model}")
    if "guardrailConfig" in params:
        guardrail = f"${{{_named(params['guardrailConfig']['guardrailIdentifier'])}}}"
        yield Request("bedrock:ApplyGuardrail", f"{_ARN}:bedrock:{_HERE}:guardrail/{guardrail}")
        elsewhere = f"{_ARN}:bedrock:any:${{AWS::AccountId}}:guardrail-profile/any"
        yield Request("bedrock:ApplyGuardrail", elsewhere)


def _of_lambda(operation: str, params: Params) -> Iterator[Request]:
    """A function is named after the stack."""
    _, name = params["FunctionName"].rsplit("-", 1)
    function = f"{_ARN}:lambda:{_HERE}:function:${{AWS::StackName}}-{name}"
    yield Request(f"lambda:{operation}Function", function)


_METHODS: Final = {"PostToConnection": "POST", "DeleteConnection": "DELETE"}


def _of_connections(operation: str, _: Params) -> Iterator[Request]:
    """One action is for all that can be done with a connection, and the resource has the method."""
    stage = f"{_ARN}:execute-api:{_HERE}:${{LiveApi}}/${{Stage}}"
    yield Request("execute-api:ManageConnections", f"{stage}/{_METHODS[operation]}/@connections/any")


_SERVICES: Final[Mapping[str, Callable[[str, Params], Iterator[Request]]]] = {
    "dynamodb": _of_dynamodb,
    "s3": _of_s3,
    "sqs": _of_sqs,
    "sesv2": _of_ses,
    "bedrock-runtime": _of_bedrock,
    "lambda": _of_lambda,
    "apigatewaymanagementapi": _of_connections,
}


def _named(value: str) -> str:
    """Return the template's name of what a variable of the environment is set to: KnowledgeBucket, MailFrom."""
    given = settings().environment
    return next(
        (name for variable, name in _names().items() if given.get(variable) == value), f"no {value!r}"
    )


@cache
def _names() -> dict[str, str]:
    """Return the names in the template that functions' variables refer to."""
    functions = [
        each["Properties"] for name, each in included()["Resources"].items() if name.endswith("Function")
    ]
    return {
        variable: match[1]
        for function in functions
        for variable, value in function.get("Environment", {}).get("Variables", {}).items()
        if (match := re.search(r"'Ref': '(\w+)'", str(value)))
    }
