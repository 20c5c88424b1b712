"""The example receiver as a Lambda function URL: its handlers, given what Lambda gives them, on moto's DynamoDB."""

from __future__ import annotations

import base64
import importlib.util
import json
import logging
import os
import time
from collections.abc import Iterator
from types import ModuleType
from typing import Any
from uuid import uuid4

import boto3
import pytest
from botocore.exceptions import ClientError
from moto import mock_aws

from helpdesk_webhooks import sign, webhook_secret
from tests.clients.example_server import EXAMPLES, KEY

FOLDER = EXAMPLES / "lambda_function_url"
TABLE = "inbox"
SECRET = webhook_secret(KEY)
OTHER_SECRET = webhook_secret(
    "svc_key_01jd3kr0000000000000000000_HYp6NevCTk1IZq7OfwDUl2Jar8PgxEVm3Kbs9QhyFWn"
)
MINUTE = 60_000

Record = dict[str, Any]


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    for name, value in {"AWS_DEFAULT_REGION": "eu-west-1", "HELPDESK_KEY": KEY, "INBOX_TABLE": TABLE}.items():
        monkeypatch.setenv(name, value)
    with mock_aws():
        boto3.client("dynamodb").create_table(
            TableName=TABLE,
            BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
            KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
            StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"},
        )
        spec = importlib.util.spec_from_file_location("example_lambda", FOLDER / "app.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        level = logging.getLogger().level
        spec.loader.exec_module(module)
        yield module
        logging.getLogger().setLevel(level)


def now() -> int:
    return time.time_ns() // 1_000_000


def a_delivery(**changes: Any) -> tuple[str, bytes]:
    """An event and its id. The spaces are Helpdesk's to choose: a body that is parsed and written again loses them."""
    event_id = f"evt_{uuid4().hex}"
    data = {"message": {"sender": "visitor", "body": "Où est ma facture ? 👋"}}
    event = {"id": event_id, "type": "message.created", "createdAt": now(), "data": data, **changes}
    return event_id, json.dumps(event, indent=1, ensure_ascii=False).encode()


def a_request(body: bytes, header: str | None, *, encoded: bool = False) -> dict[str, Any]:
    """What a function URL hands to its function (payload format 2.0): header names in lower case, the body as text."""
    headers = {
        "content-type": "application/json",
        "host": "abc.lambda-url.eu-west-1.on.aws",
        "x-forwarded-proto": "https",
    }
    return {
        "version": "2.0",
        "routeKey": "$default",
        "rawPath": "/",
        "rawQueryString": "",
        "headers": headers if header is None else {**headers, "svc-signature": header},
        "requestContext": {
            "http": {
                "method": "POST",
                "path": "/",
                "protocol": "HTTP/1.1",
                "sourceIp": "192.0.2.1",
                "userAgent": "",
            },
            "requestId": "1",
            "timeEpoch": now(),
        },
        "body": base64.b64encode(body).decode() if encoded else body.decode(),
        "isBase64Encoded": encoded,
    }


def signed(body: bytes, *, secret: str = SECRET, age: int = 0) -> str:
    return sign(body, secret, now() - age)


def kept() -> list[Record]:
    items: list[Record] = boto3.client("dynamodb").scan(TableName=TABLE)["Items"]
    return items


def stream_of_the_table() -> list[Record]:
    """The records as the table's stream would give them."""
    client = boto3.client("dynamodbstreams")
    arn = boto3.client("dynamodb").describe_table(TableName=TABLE)["Table"]["LatestStreamArn"]
    [shard] = client.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]
    start = client.get_shard_iterator(
        StreamArn=arn, ShardId=shard["ShardId"], ShardIteratorType="TRIM_HORIZON"
    )
    records: list[Record] = client.get_records(ShardIterator=start["ShardIterator"])["Records"]
    return records


@pytest.mark.parametrize("encoded", [False, True], ids=["as text", "in base64"])
def test_a_valid_delivery_is_accepted_and_stored_for_thirty_days(app: ModuleType, *, encoded: bool) -> None:
    event_id, body = a_delivery()
    assert app.receive(a_request(body, signed(body), encoded=encoded), None) == {"statusCode": 204}
    [item] = kept()
    assert item["id"] == {"S": event_id}
    assert json.loads(item["body"]["S"]) == json.loads(body)
    assert int(item["expiresAt"]["N"]) == pytest.approx(time.time() + 30 * 86_400, abs=60)


@pytest.mark.parametrize(
    ("secret", "age"),
    [(OTHER_SECRET, 0), (SECRET, 10 * MINUTE), (SECRET, -10 * MINUTE)],
    ids=["signed with another key", "ten minutes old", "ten minutes ahead"],
)
def test_a_wrong_signature_or_time_is_refused_and_not_kept(app: ModuleType, secret: str, age: int) -> None:
    _, body = a_delivery()
    assert app.receive(a_request(body, signed(body, secret=secret, age=age)), None)["statusCode"] == 400
    assert kept() == []


@pytest.mark.parametrize("header", [None, "", "t=1,v2=0"])
def test_a_missing_or_malformed_signature_is_refused(app: ModuleType, header: str | None) -> None:
    _, body = a_delivery()
    assert app.receive(a_request(body, header), None)["statusCode"] == 400
    assert kept() == []


@pytest.mark.parametrize("encoded", [False, True], ids=["as text", "in base64"])
@pytest.mark.parametrize("at", [0, 1, 40, -2, -1])
def test_a_body_altered_by_one_byte_is_refused(app: ModuleType, at: int, *, encoded: bool) -> None:
    _, body = a_delivery()
    altered = bytearray(body)
    altered[at] ^= 1
    request = a_request(bytes(altered), signed(body), encoded=encoded)
    assert app.receive(request, None)["statusCode"] == 400
    assert kept() == []


def test_a_request_without_a_body_is_refused(app: ModuleType) -> None:
    request = a_request(b"", signed(b"{}"))
    del request["body"]
    assert app.receive(request, None)["statusCode"] == 400


def test_a_repeated_event_gets_a_response_each_time_and_is_handled_once(
    app: ModuleType, caplog: pytest.LogCaptureFixture
) -> None:
    event_id, body = a_delivery()
    for age in (2 * MINUTE, MINUTE, 0):
        assert app.receive(a_request(body, signed(body, age=age)), None) == {"statusCode": 204}
    [record] = stream_of_the_table()
    app.work({"Records": [record]}, None)
    handled = [
        line.message
        for line in caplog.records
        if line.message.startswith(f"handled {event_id}: visitor wrote 'Où")
    ]
    assert len(handled) == 1


def test_an_event_that_cannot_be_stored_raises_so_that_it_is_sent_again(app: ModuleType) -> None:
    _, body = a_delivery()
    boto3.client("dynamodb").delete_table(TableName=TABLE)
    with pytest.raises(ClientError):
        app.receive(a_request(body, signed(body)), None)


def test_a_failure_in_handling_raises_so_that_lambda_retries_it(app: ModuleType) -> None:
    _, body = a_delivery(data={})
    assert app.receive(a_request(body, signed(body)), None) == {"statusCode": 204}
    with pytest.raises(KeyError):
        app.work({"Records": stream_of_the_table()}, None)


def test_a_forgotten_event_is_not_handled(app: ModuleType, caplog: pytest.LogCaptureFixture) -> None:
    app.work({"Records": [{"eventName": "REMOVE", "dynamodb": {"Keys": {"id": {"S": "evt_1"}}}}]}, None)
    assert caplog.records == []


def test_the_template_is_one_that_can_be_deployed() -> None:
    from cfnlint.api import lint_file  # type: ignore[import-untyped] # noqa: PLC0415 - two seconds

    assert lint_file(FOLDER / "template.yaml") == []
