"""Unknown query parameters and fields, tried on every operation that the API's description has."""

import json
import re
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from scripts.openapi.document import document
from tests.support.api import Answer, Client
from tests.support.people import issue_token
from tests.support.rules import for_each

UNKNOWN = "zzUnknown"
# The specification requires POST /messages to ignore other fields at the top level, and names the parts in which they
# are refused; RFC 7591, section 2, requires it of a client's metadata.
OPEN = {"MessageInput", "AttachmentInput", "ClientRegistration"}

type Operation = dict[str, Any]


def operations(*, public: bool) -> list[tuple[str, str, Operation]]:
    return [
        (method.upper(), path, operation)
        for path, item in document()["paths"].items()
        for method, operation in item.items()
        if (not operation["security"]) == public
    ]


def name_of(case: tuple[str, str, Operation]) -> str:
    return str(case[2]["operationId"])


def address(path: str, query: str = "") -> str:
    return re.sub(r"{\w+}", "some_01jd3kq8w2h6c9g4s8d0m5x7ar", path) + query


def known_parameters(operation: Operation) -> list[str]:
    return [each["name"] for each in operation.get("parameters", []) if each["in"] == "query"]


def body_schema(operation: Operation) -> str | None:
    content = operation.get("requestBody", {}).get("content", {})
    reference = content.get("application/json", {}).get("schema", {}).get("$ref")
    return None if reference is None else str(reference).rsplit("/", 1)[1]


def fields_of(name: str) -> list[str]:
    return list(document()["components"]["schemas"][name]["properties"])


@pytest.fixture
def callers(organization: NewOrganization) -> dict[str, Client]:
    return {
        "secretKey": Client(organization.secret_key),
        "accessToken": Client(issue_token(organization.organization_id, role="owner", name="Olga")),
    }


def ask(callers: dict[str, Client], case: tuple[str, str, Operation], url: str, body: Any = None) -> Answer:
    method, _, operation = case
    [kind] = operation["security"][0]
    return callers[kind].request(method, url, body)


@for_each("case", [(case,) for case in operations(public=False)], ids=lambda case: name_of(case[0]))
def test_an_unknown_query_parameter_is_refused_by_its_name(
    case: tuple[tuple[str, str, Operation]], callers: dict[str, Client]
) -> None:
    [operation] = case

    answer = ask(callers, operation, address(operation[1], f"?{UNKNOWN}=1"), body_of(operation[2]))

    known = known_parameters(operation[2])
    says = f"Allowed: {', '.join(known)}." if known else "This route takes no query parameters."
    assert (answer.status, answer.code) == (400, "invalid_request")
    assert answer.message == f"Unknown query parameter `{UNKNOWN}`. {says}"


@for_each("case", [(case,) for case in operations(public=False)], ids=lambda case: name_of(case[0]))
def test_an_unknown_field_is_refused_by_its_name(
    case: tuple[tuple[str, str, Operation]], callers: dict[str, Client]
) -> None:
    [operation] = case
    schema = body_schema(operation[2])
    if schema is None or schema in OPEN:
        return

    answer = ask(callers, operation, address(operation[1]), {UNKNOWN: 1})

    assert (answer.status, answer.code) == (400, "invalid_request")
    assert answer.message == f"Unknown field `{UNKNOWN}`. Allowed: {', '.join(fields_of(schema))}."


@for_each("case", [(case,) for case in operations(public=False)], ids=lambda case: name_of(case[0]))
def test_a_name_in_another_spelling_is_refused_with_the_right_one(
    case: tuple[tuple[str, str, Operation]], callers: dict[str, Client]
) -> None:
    [operation] = case
    for name in known_parameters(operation[2]):
        wrong = _other_spelling(name)
        answer = ask(callers, operation, address(operation[1], f"?{wrong}=1"), body_of(operation[2]))
        assert answer.message.startswith(f"Unknown query parameter `{wrong}`; did you mean `{name}`?")
    schema = body_schema(operation[2])
    for name in fields_of(schema) if schema is not None and schema not in OPEN else []:
        wrong = _other_spelling(name)
        answer = ask(callers, operation, address(operation[1]), {wrong: 1})
        assert answer.message.startswith(f"Unknown field `{wrong}`; did you mean `{name}`?")


def _other_spelling(name: str) -> str:
    """Return a name as someone used to Python would write it."""
    snake = re.sub(r"[A-Z]", lambda capital: f"_{capital[0].lower()}", name)
    return snake if snake != name else f"{name}_"


@for_each("case", [(case,) for case in operations(public=True)], ids=lambda case: name_of(case[0]))
def test_a_route_without_a_credential_ignores_unknown_parameters(
    case: tuple[tuple[str, str, Operation]],
) -> None:
    [(method, path, _)] = case

    plain, with_one = (Client().request(method, address(path, query)) for query in ("", "?utm_source=mail"))

    assert with_one.status == plain.status
    assert "utm_source" not in json.dumps(with_one.body)


def test_every_object_in_a_body_is_closed_but_those_that_a_specification_leaves_open() -> None:
    schemas = document()["components"]["schemas"]
    wanted = [
        name
        for public in (False, True)
        for _, _, operation in operations(public=public)
        if (name := body_schema(operation)) is not None
    ]
    open_ones = set()
    for name in wanted:  # grows while it is read
        schema = schemas[name]
        if schema.get("additionalProperties") is not False:
            open_ones.add(name)
        for inner in re.findall(r'"#/components/schemas/(\w+)"', json.dumps(schema)):
            if "properties" in schemas[inner] and inner not in wanted:
                wanted.append(inner)

    assert open_ones == OPEN


def test_a_misspelt_take_over_takes_nothing_over(api: Client) -> None:
    written = api.post("/v1/messages", {"session": "visitor-of-spelling", "body": "Hello"}).body

    answer = api.post(
        f"/v1/conversations/{written['conversationId']}/reply", {"body": "Hi", "takeover": True}
    )

    assert (answer.status, answer.code) == (400, "invalid_request")
    assert answer.message == (
        "Unknown field `takeover`; did you mean `takeOver`? "
        "Allowed: body, attachments, takeOver, reopen, ifLastMessageId."
    )
    thread = api.get(f"/v1/conversations/{written['conversationId']}").body["messages"]
    assert [entry["body"] for entry in thread] == ["Hello"]


def test_an_unknown_field_of_a_list_entry_is_refused_by_its_place(api: Client) -> None:
    written = api.post("/v1/messages", {"session": "visitor-of-spelling", "body": "Hello"}).body
    files = [{"id": "file_1", "name": "a.png"}, {"id": "file_2", "nam": "b.png"}]

    answer = api.post(
        f"/v1/conversations/{written['conversationId']}/reply", {"body": "Hi", "attachments": files}
    )

    assert answer.message == (
        "Unknown field `attachments[1].nam`; did you mean `attachments[1].name`? "
        "Allowed in `attachments[1]`: id, name."
    )


def test_an_attachment_of_a_message_may_be_the_whole_answer_of_its_upload(api: Client) -> None:
    uploaded = api.post("/v1/uploads?name=a.txt", "text", **{"content-type": "text/plain"}).body

    answer = api.post(
        "/v1/messages", {"session": "visitor-of-spelling", "body": "See this", "attachments": [uploaded]}
    )

    assert answer.status == 200


@pytest.mark.parametrize("body", [None, "", "{}", "null", "[1]", "not JSON", '{"body": "Hello"}'])
def test_a_route_without_a_body_reads_none(api: Client, body: str | None) -> None:
    written = api.post("/v1/messages", {"session": "visitor-of-spelling", "body": "Hello"}).body

    assert api.post(f"/v1/conversations/{written['conversationId']}/take-over", body).status == 200


def test_a_hundred_thousand_unknown_fields_cost_no_more_than_one(api: Client) -> None:
    answer = api.post("/v1/webhooks", {f"f{number}": number for number in range(100_000)})

    assert answer.message == "Unknown field `f0`. Allowed: url, events."


def body_of(operation: Operation) -> Any:
    """Return a body that fits an operation, for it is read before the query."""
    content = operation.get("requestBody", {}).get("content", {}).get("application/json")
    return None if content is None else next(iter(content["examples"].values()))["value"]
