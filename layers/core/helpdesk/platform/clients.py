"""The only place that makes an AWS client: once per execution environment, with deadlines of our own.

botocore's defaults wait 60 s for a connection and for each read, longer than any function here may run, and an
API call that hangs holds the caller. DynamoDB answers in milliseconds, so it gets short ones and more tries.

They are botocore's clients, which are boto3's: `import boto3` adds a twelfth to a cold start for its resources and file
transfers, which nothing here uses (docs/decisions/0030).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import TYPE_CHECKING, Any

from botocore.config import Config
from botocore.session import Session

from helpdesk.platform import clock
from helpdesk.platform.settings import settings

if TYPE_CHECKING:
    from mypy_boto3_bedrock_runtime import BedrockRuntimeClient
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_lambda import LambdaClient
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_sesv2 import SESV2Client
    from mypy_boto3_sqs import SQSClient


_send_deadline: ContextVar[int | None] = ContextVar("send_deadline", default=None)


class DeadlineExceeded(Exception):
    """The request was not sent, because its deadline has passed. An earlier try of it may have been executed."""


@contextmanager
def send_deadline(instant_ms: int | None) -> Iterator[None]:
    """Raise DeadlineExceeded for requests to DynamoDB, retries included, that would leave after an instant (ms)."""
    before = _send_deadline.set(instant_ms)
    try:
        yield
    finally:
        _send_deadline.reset(before)


THROTTLING = {
    "ProvisionedThroughputExceededException",
    "ThrottlingException",
    "RequestLimitExceeded",
}
"""The codes with which DynamoDB throttles a request."""

_one_try = ContextVar("one_try", default=False)


class ThrottledAtOnce(Exception):
    """DynamoDB throttled the first try of a request."""


@contextmanager
def one_try_when_throttled() -> Iterator[None]:
    """Raise ThrottledAtOnce for a throttled request to DynamoDB. Otherwise it is tried again, which can take seconds.

    `table.get` and `table.update` raise it as table.Throttled. Other failures, such as a broken connection, are tried
    again as usual.
    """
    before = _one_try.set(True)
    try:
        yield
    finally:
        _one_try.reset(before)


def tries_once() -> bool:
    """Return whether the code around wants to know at once that DynamoDB does not take a request now."""
    return _one_try.get()


def _give_up_when_throttled(response: Any, **_: Any) -> None:
    """Raise ThrottledAtOnce where it was requested. botocore calls this after each try, before it waits."""
    if _one_try.get() and response is not None and response[1].get("Error", {}).get("Code") in THROTTLING:
        raise ThrottledAtOnce


def _require_in_time(**_: Any) -> None:
    """Raise DeadlineExceeded after the deadline. botocore calls this for each try, before it signs and sends."""
    instant = _send_deadline.get()
    if instant is not None and clock.now_ms() > instant:
        raise DeadlineExceeded


def _config(connect: float, read: float, attempts: int) -> Config:
    return Config(
        connect_timeout=connect,
        read_timeout=read,
        retries={"mode": "standard", "total_max_attempts": attempts},
        max_pool_connections=25,
        # botocore composes its own for each request, which is almost half of its work for a call.
        user_agent="helpdesk",
    )


@cache
def _session() -> Session:
    return Session()


def _client(service: str, config: Config, endpoint_url: str | None = None) -> Any:
    return _session().create_client(
        service, endpoint_url=endpoint_url or settings().local_endpoint_url, config=config
    )


@cache
def dynamodb() -> "DynamoDBClient":
    """Return the DynamoDB client (1 s to connect, 3 s to read, 4 tries)."""
    # Parameters are typed by boto3's own model (boto3-stubs) and checked by DynamoDB; botocore's check in
    # between is a tenth of the processor time of a request.
    config = _config(1, 3, 4).merge(Config(parameter_validation=False))
    client: DynamoDBClient = _client("dynamodb", config)
    client.meta.events.register("request-created.dynamodb", _require_in_time)
    client.meta.events.register_first("needs-retry.dynamodb", _give_up_when_throttled)
    return client


@cache
def sqs() -> "SQSClient":
    """Return the SQS client (1 s to connect, 5 s to read, 3 tries)."""
    client: SQSClient = _client("sqs", _config(1, 5, 3))
    return client


@cache
def s3() -> "S3Client":
    """Return the S3 client (2 s to connect, 20 s to read, 3 tries).

    URLs are presigned with version 4 for the region's own host. By default, boto3 signs with an older version for the
    global host. Newer regions refuse that version, and new buckets redirect that host, which breaks the signature.
    """
    config = _config(2, 20, 3).merge(Config(signature_version="s3v4", s3={"addressing_style": "virtual"}))
    client: S3Client = _client("s3", config)
    return client


@cache
def bedrock() -> "BedrockRuntimeClient":
    """Return the Bedrock client (2 s to connect, 45 s to read: a model writes slowly; 2 tries)."""
    client: BedrockRuntimeClient = _client(
        "bedrock-runtime", _config(2, 45, 2), settings().bedrock_endpoint_url
    )
    return client


@cache
def ses(tries: int = 3) -> "SESV2Client":
    """Return the SES client (1 s to connect, 5 s to read); with one try it asks once, even if no answer comes."""
    client: SESV2Client = _client("sesv2", _config(1, 5, tries))
    return client


@cache
def functions() -> "LambdaClient":
    """Return the Lambda client, for what may get lost (1 s to connect, 1 s to read, 1 try)."""
    client: LambdaClient = _client("lambda", _config(1, 1, 1))
    return client


@cache
def live_connections() -> Any:
    """Return the client that posts to live connections (1 s to connect, 2 s to read, 2 tries)."""
    return _client("apigatewaymanagementapi", _config(1, 2, 2), settings().live_endpoint)


def forget() -> None:
    """Drop every client, so that the next call makes a new one. For tests that change the environment."""
    for factory in (_session, dynamodb, sqs, s3, bedrock, ses, functions, live_connections):
        factory.cache_clear()
