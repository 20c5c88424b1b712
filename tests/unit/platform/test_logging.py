"""What the libraries may write where a function's log level is DEBUG, and what an error is called."""

import logging

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
