"""What the libraries may write where a function's log level is DEBUG."""

import logging

import pytest

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
