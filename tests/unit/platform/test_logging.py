"""What the libraries may write where a function's log level is DEBUG, and what an error is called."""

import json
import logging
import os
import subprocess
import sys

import pytest
from botocore.exceptions import ClientError

from helpdesk.platform import logging as ours


@pytest.mark.parametrize(
    "name",
    [
        "botocore.endpoint",
        "botocore.parsers",
        "botocore.hooks",
        "urllib3.connectionpool",
        "aiohttp.client",
        "asyncio",
    ],
)
def test_a_library_that_logs_requests_is_silenced(name: str) -> None:
    root = logging.getLogger()
    before = root.level
    root.setLevel(logging.DEBUG)
    try:
        assert not logging.getLogger(name).isEnabledFor(logging.DEBUG)
        assert logging.getLogger(name).isEnabledFor(logging.INFO)
    finally:
        root.setLevel(before)


def test_our_own_lines_follow_the_level_that_is_set() -> None:
    assert ours.logger.log_level == logging.INFO


def test_lines_below_our_level_stay_out_where_lambda_would_let_them_pass() -> None:
    # Lambda's filter is INFO then, for the lines of metrics, and Powertools takes it for its own level.
    program = """
from helpdesk.platform import logging, metrics
logging.logger.info("left_out")
logging.logger.warning("logged")
metrics.count("EventsDropped")"""
    levels = {
        "AWS_LAMBDA_LOG_LEVEL": "INFO",
        "POWERTOOLS_LOG_LEVEL": "WARN",
        "POWERTOOLS_SERVICE_NAME": "delivery",
    }

    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program],
        env={**os.environ, **levels},
        capture_output=True,
        text=True,
        check=True,
    )

    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line.get("message", line.get("EventsDropped")) for line in lines] == ["logged", [1.0]]


@pytest.mark.parametrize(
    ("error", "name"),
    [
        (ValueError("a visitor's words"), "ValueError"),
        (
            ClientError({"Error": {"Code": "AccessDenied", "Message": "No."}}, "Query"),
            "ClientError AccessDenied",
        ),
        (ClientError({}, "Query"), "ClientError"),
    ],
)
def test_an_error_is_named_by_its_class_and_by_what_aws_calls_it(error: Exception, name: str) -> None:
    assert ours.error_name(error) == name
