"""moto and the table in memory, on which handlers are tested, give one answer to every request.

Requests are drawn at random over a few keys, so that conditions hold as often as they fail.
"""

import json
from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import ClientError
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from helpdesk.platform import clients
from helpdesk.storage.stored import INDEXES
from helpdesk.storage.table import from_wire
from scripts.seeding.memory_table import MemoryTable
from tests.support import effort, stand_in

pytestmark = pytest.mark.moto

type Request = tuple[str, dict[str, Any]]
type Result = tuple[str, Any]

PKS = ("ORG#a#CONV", "ORG#a#B")
SKS = ("A", "B#1", "B#2", "C")

texts = st.sampled_from(["", "a", "b", "ab", "ü", "x" * 300])
numbers = st.integers(-3, 12).map(str)
values: Any = st.recursive(
    st.one_of(
        texts.map(lambda text: {"S": text}),
        numbers.map(lambda number: {"N": number}),
        st.booleans().map(lambda value: {"BOOL": value}),
        st.just({"NULL": True}),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda each: {"L": each}),
        st.dictionaries(st.sampled_from(["k", "name", "n"]), inner, max_size=3).map(lambda each: {"M": each}),
    ),
    max_leaves=5,
)
keys = st.builds(
    lambda pk, sk: {"PK": {"S": pk}, "SK": {"S": sk}}, st.sampled_from(PKS), st.sampled_from(SKS)
)


@st.composite
def items(draw: st.DrawFn) -> dict[str, Any]:
    item = dict(draw(keys))
    for index in INDEXES:
        if draw(st.booleans()):
            item |= {
                f"{index}PK": {"S": draw(st.sampled_from(PKS))},
                f"{index}SK": {"S": draw(st.sampled_from(SKS))},
            }
    for name in ("status", "data"):
        if draw(st.booleans()):
            item[name] = draw(values)
    item["version"] = {"N": draw(numbers)}
    item["list"] = {"L": [{"S": "first"}]}
    return item


CONDITIONS = (
    "attribute_not_exists(PK)",
    "attribute_exists(PK)",
    "attribute_exists(PK) AND version = :n",
    "version < :n OR attribute_not_exists(version)",
    "version BETWEEN :n AND :m",
    "NOT (#status = :s)",
    "#status <> :s AND attribute_exists(#status)",
    "begins_with(SK, :s)",
    "contains(SK, :s)",
    "(attribute_not_exists(gone) OR gone >= :n) AND version <= :m",
)
UPDATES = (
    "SET #status = :s",
    "SET #status = :s, version = :n REMOVE gone",
    "SET version = version + :n",
    "SET version = version - :n, #status = :s",
    "SET #list = list_append(#list, :l)",
    "SET version = if_not_exists(version, :n)",
    "ADD version :n",
    "REMOVE #status",
    "SET GSI1PK = :p, GSI1SK = :k",
    "REMOVE GSI1PK, GSI1SK SET version = :m",
)


def used(texts_: list[str], given_: dict[str, Any]) -> dict[str, Any]:
    """Keep the names or values that the expressions mention: DynamoDB refuses others."""
    words = " ".join(texts_).replace("(", " ").replace(")", " ").replace(",", " ").split()
    return {name: value for name, value in given_.items() if name in words}


@st.composite
def writes(draw: st.DrawFn) -> Request:
    kind = draw(st.sampled_from(["Put", "Update", "Delete", "ConditionCheck"]))
    request: dict[str, Any] = {"TableName": stand_in.TABLE}
    if kind == "Put":
        request["Item"] = draw(items())
    else:
        request["Key"] = draw(keys)
    if kind == "ConditionCheck" or draw(st.booleans()):
        request["ConditionExpression"] = draw(st.sampled_from(CONDITIONS))
        if draw(st.booleans()):
            request["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
    if kind == "Update":
        request["UpdateExpression"] = draw(st.sampled_from(UPDATES))
    expressions = [request.get("ConditionExpression", ""), request.get("UpdateExpression", "")]
    names = used(expressions, {"#status": "status", "#list": "list"})
    sent = used(
        expressions,
        {
            ":n": {"N": draw(numbers)},
            ":m": {"N": draw(numbers)},
            ":s": {"S": draw(st.sampled_from(["a", "b", "B"]))},
            ":l": {"L": [{"S": draw(texts)}]},
            ":p": {"S": draw(st.sampled_from(PKS))},
            ":k": {"S": draw(st.sampled_from(SKS))},
        },
    )
    if names:
        request["ExpressionAttributeNames"] = names
    if sent:
        request["ExpressionAttributeValues"] = sent
    return kind, request


@st.composite
def single_writes(draw: st.DrawFn) -> Request:
    kind, request = draw(writes().filter(lambda write: write[0] != "ConditionCheck"))
    returned = {
        "Put": ["NONE", "ALL_OLD"],
        "Delete": ["NONE", "ALL_OLD"],
        "Update": ["NONE", "ALL_NEW", "ALL_OLD"],
    }
    return f"{kind}Item", {**request, "ReturnValues": draw(st.sampled_from(returned[kind]))}


def key_of(write: Request) -> str:
    key = write[1].get("Item") or write[1]["Key"]
    return json.dumps([key["PK"], key["SK"]])


transactions = st.lists(writes(), min_size=1, max_size=4, unique_by=key_of).map(
    lambda chosen: ("TransactWriteItems", {"TransactItems": [{kind: request} for kind, request in chosen]})
)


@st.composite
def queries(draw: st.DrawFn) -> Request:
    index = draw(st.sampled_from(["", *INDEXES]))
    form = draw(st.sampled_from(["", " AND #sk BETWEEN :low AND :high", " AND begins_with(#sk, :sk)"]))
    last = draw(st.sampled_from(["B", "B#1", "C"]))
    request: dict[str, Any] = {
        "TableName": stand_in.TABLE,
        "KeyConditionExpression": f"#pk = :pk{form}",
        "ExpressionAttributeNames": {"#pk": f"{index}PK", **({"#sk": f"{index}SK"} if form else {})},
        "ExpressionAttributeValues": {
            ":pk": {"S": draw(st.sampled_from(PKS))},
            **({":low": {"S": "A"}, ":high": {"S": last}} if ":low" in form else {}),
            **({":sk": {"S": "B"}} if ":sk" in form else {}),
        },
        "ScanIndexForward": draw(st.booleans()),
        "Limit": draw(st.integers(1, 9)),
    }
    return "Query", request | ({"IndexName": index} if index else {})


gets = keys.map(lambda key: ("GetItem", {"TableName": stand_in.TABLE, "Key": key}))
batches = st.lists(keys, min_size=1, max_size=5, unique_by=str).map(
    lambda wanted: ("BatchGetItem", {"RequestItems": {stand_in.TABLE: {"Keys": wanted}}})
)
programs = st.lists(
    st.one_of(single_writes(), transactions, queries(), gets, batches), min_size=1, max_size=14
)


def result(call: Callable[[str, Any], dict[str, Any]], request: Request) -> Result:
    """Return what is answered, as far as it does not depend on the answerer: numbers are compared as numbers."""
    try:
        answer = call(*request)
    except ClientError as error:
        code = error.response["Error"]["Code"]
        # A type that an operation cannot work on is a ValidationException; the product sends none.
        reasons: Any = error.response.get("CancellationReasons", [])
        shown = [(reason["Code"], from_wire(reason.get("Item") or {})) for reason in reasons]
        item: Any = error.response.get("Item") or {}
        return code, (shown, from_wire(item))
    found: dict[str, Any] = {
        name: from_wire(answer[name]) for name in ("Item", "Attributes") if answer.get(name)
    }
    if "Items" in answer:
        found["Items"] = [from_wire(item) for item in answer["Items"]]
        found["Count"] = answer["Count"]
    for batch in answer.get("Responses", {}).values():
        found["Batch"] = sorted(
            (from_wire(item) for item in batch), key=lambda item: (item["PK"], item["SK"])
        )
    return "", found


def pages(call: Callable[[str, Any], dict[str, Any]], request: Request) -> list[Result]:
    """Follow a query's cursors to their end. Whether the last full page says that it is the last may differ."""
    found = [result(call, request)]
    asked = dict(request[1])
    for _ in range(20):
        answer = call("Query", asked)
        asked["ExclusiveStartKey"] = answer.get("LastEvaluatedKey")
        if asked["ExclusiveStartKey"] is None:
            return found
        following = result(call, ("Query", asked))
        if following[1]["Items"]:
            found.append(following)
    raise AssertionError(f"the cursors do not end: {request}")


def outcome(call: Callable[[str, Any], dict[str, Any]], program: list[Request]) -> list[Any]:
    """Return all results of a program, and at its end what each partition holds."""
    results = [
        pages(call, request) if request[0] == "Query" else result(call, request) for request in program
    ]
    for pk in PKS:
        whole = {
            "TableName": stand_in.TABLE,
            "KeyConditionExpression": "#pk = :pk",
            "ExpressionAttributeNames": {"#pk": "PK"},
            "ExpressionAttributeValues": {":pk": {"S": pk}},
        }
        results.append(result(call, ("Query", whole)))
    return results


@settings(
    max_examples=effort.of(30, 2000), deadline=None, suppress_health_check=list(HealthCheck), database=None
)
@given(program=programs)
def test_both_tables_give_one_answer(program: list[Request]) -> None:
    stand_in.clear()
    theirs = outcome(clients.dynamodb()._make_api_call, program)  # type: ignore[attr-defined]
    # A type that an operation cannot work on; the product sends none.
    assume(all(each[0] != "ValidationException" for each in theirs if isinstance(each, tuple)))
    assert outcome(MemoryTable().call, program) == theirs


def put(**attributes: str) -> Request:
    item = {"PK": {"S": "p"}, "SK": {"S": "s"}, **{name: {"S": value} for name, value in attributes.items()}}
    return "PutItem", {"TableName": stand_in.TABLE, "Item": item}


def update(expression: str, names: dict[str, str], given: dict[str, Any]) -> Request:
    return "UpdateItem", {
        "TableName": stand_in.TABLE,
        "Key": {"PK": {"S": "p"}, "SK": {"S": "s"}},
        "UpdateExpression": expression,
        "ExpressionAttributeNames": names,
        "ExpressionAttributeValues": given,
    }


@pytest.mark.parametrize(
    "request_",
    [
        put(PK=""),
        put(SK="s" * 1025),
        put(PK="p" * 2049),
        put(GSI1PK="g", GSI1SK=""),
        put(**{f"{n}": "x" * 102_500 for n in range(4)}),
        update("SET #name = :value", {"#name": "title"}, {":value": {"S": "x"}, ":unused": {"S": "y"}}),
        update("SET #name = :value", {"#name": "title", "#unused": "body"}, {":value": {"S": "x"}}),
        update("SET #name = :missing", {"#name": "title"}, {":value": {"S": "x"}}),
        ("TransactWriteItems", {"TransactItems": [{"Put": put()[1]}, {"Put": put()[1]}]}),
        (
            "TransactWriteItems",
            {"TransactItems": [{"Put": put(SK=f"{number}")[1]} for number in range(101)]},
        ),
    ],
    ids=[
        "an empty key",
        "a long sort key",
        "a long partition key",
        "an empty index key",
        "a large item",
        "an unused value",
        "an unused name",
        "a missing value",
        "two writes of an item",
        "101 writes",
    ],
)
def test_both_tables_refuse_what_is_not_valid(request_: Request) -> None:
    for call in (clients.dynamodb()._make_api_call, MemoryTable().call):  # type: ignore[attr-defined]
        code, _ = result(call, request_)
        assert code == "ValidationException"


def test_both_tables_store_an_item_of_almost_400_kilobytes() -> None:
    request = put(**{f"{n}": "x" * 101_000 for n in range(4)})
    for call in (clients.dynamodb()._make_api_call, MemoryTable().call):  # type: ignore[attr-defined]
        assert result(call, request) == ("", {})
