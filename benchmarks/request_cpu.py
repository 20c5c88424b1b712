"""The CPU time of a warm POST /messages, over its three calls made bare and beside FastAPI and Mangum."""

import asyncio
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from unittest import mock

import boto3
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.httpsession import URLLib3Session
from pydantic.warnings import UnsupportedFieldAttributeWarning

from benchmarks import recording, stub
from benchmarks.measuring import take_turns
from benchmarks.recording import Recorded
from benchmarks.report import Section, Target
from helpdesk.platform import clients
from tests.support.api import Context, function
from tests.support.aws import recorded_calls

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

TITLE = "CPU time of a warm POST /messages"
OURS, BARE = "the product's handler", "its three boto3 calls, bare"
SAME_CLIENT = "the same calls by the product's own client"
THREADS, LOOP = "FastAPI and Mangum, in threads", "FastAPI and Mangum, in the event loop"

TEXT = """A visitor's message in an existing conversation, as an API Gateway event through
`functions/messages/app.py`. Below it the three DynamoDB calls that it makes (UpdateItem, GetItem,
TransactWriteItems), with the very parameters recorded from it, by a plain `boto3.client("dynamodb")`; the
product's own client, in the next row, leaves out botocore's check of the parameters, so against that the
handler's share is larger. Beside it the same admission, models and rules in FastAPI on Mangum, in both usual
ways. DynamoDB is a server on loopback in another process that answers with what was recorded, so the time is
this side's alone, HTTP included. The contenders take turns. The fastest round of each counts, and the
median of the rounds' quotients is in the next column. The last two columns leave HTTP out: botocore's session
answers at once, so that less is common to both sides."""


def run(*, tiny: bool = False) -> Section:
    """Measure."""
    from benchmarks import fastapi_app  # noqa: PLC0415 - nobody else should wait for it

    warnings.filterwarnings("ignore", category=UnsupportedFieldAttributeWarning)  # FastAPI's own, of pydantic
    record = recording.recorded()
    rounds, repeats = (2, 2) if tiny else (60, 8)
    with stub.answering(record.answers) as address:
        stub.use(address)
        asyncio.set_event_loop(asyncio.new_event_loop())  # where Mangum looks for one
        contenders = {
            OURS: handled_by(function("messages").handler, record),
            BARE: _bare(boto3.client("dynamodb"), record),
            SAME_CLIENT: _bare(clients.dynamodb(), record),
            THREADS: handled_by(fastapi_app.in_threads(), record),
            LOOP: handled_by(fastapi_app.in_the_loop(), record),
        }
        _require_three_calls(contenders[OURS], contenders[THREADS], contenders[LOOP])
        over_http = take_turns(contenders, rounds=rounds, repeats=repeats)
    with _no_http(record):
        without = take_turns(contenders, rounds=rounds, repeats=repeats)
    rows: list[Sequence[str]] = [
        (
            name,
            f"{over_http.least(name) * 1_000:.2f} ms",
            f"{over_http.least_ratio(name, BARE):.2f}",
            f"{over_http.ratio(name, BARE):.2f}",
            f"{without.least(name) * 1_000:.2f} ms",
            f"{without.least_ratio(name, BARE):.2f}",
        )
        for name in contenders
    ]
    faster = max(over_http.least_ratio(OURS, LOOP), over_http.least_ratio(OURS, THREADS))
    return Section(
        TITLE,
        TEXT,
        ("POST /messages", "CPU", "over bare", "median over bare", "CPU without HTTP", "over bare"),
        rows,
        [
            Target("POST /messages over its three calls made bare", over_http.least_ratio(OURS, BARE), 1.15),
            Target("POST /messages over the faster of two FastAPI apps", faster, 1.0, strictly=True),
        ],
    )


def handled_by(handler: Callable[..., dict[str, Any]], record: Recorded) -> Callable[[], object]:
    """Return the work of one recorded request."""
    context = Context()

    def work() -> None:
        answer = handler(record.event, context)
        if answer["statusCode"] != 200:
            raise RuntimeError(answer["body"])

    return work


def _bare(client: "DynamoDBClient", record: Recorded) -> Callable[[], object]:
    methods: dict[str, Callable[..., object]] = {
        "UpdateItem": client.update_item,
        "GetItem": client.get_item,
        "TransactWriteItems": client.transact_write_items,
    }
    calls = [(methods[operation], parameters) for operation, parameters in record.calls]

    def work() -> None:
        for method, parameters in calls:
            method(**parameters)

    return work


def _require_three_calls(*works: Callable[[], object]) -> None:
    for work in works:
        work()
        with recorded_calls() as calls:
            work()
        if calls != ["dynamodb:UpdateItem", "dynamodb:GetItem", "dynamodb:TransactWriteItems"]:
            raise RuntimeError(f"not the three calls: {calls}")


class _Raw:
    """The part of a urllib3 response that botocore reads when it has the body."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    def stream(self) -> Any:
        yield self._content


@contextmanager
def _no_http(record: Recorded) -> Iterator[None]:
    """Let botocore's HTTP session return canned responses."""
    answers = {name: text.encode() for name, text in record.answers.items()}

    def send(_: URLLib3Session, request: AWSPreparedRequest) -> AWSResponse:
        operation = request.headers["X-Amz-Target"].decode().rpartition(".")[2]  # type: ignore[union-attr]
        headers: Any = {"content-type": "application/x-amz-json-1.0"}
        return AWSResponse(request.url, 200, headers, _Raw(answers[operation]))

    with mock.patch.object(URLLib3Session, "send", send):
        yield
