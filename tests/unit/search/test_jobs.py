"""The search job as a queue message."""

from typing import Any

import pytest

from helpdesk.search.jobs import SearchJob


@pytest.mark.parametrize(
    "body",
    [
        {"organization": "org_1", "conversationId": "conv_1"},
        {"organization": "org_1", "conversationId": "conv_1", "messageId": "msg_1"},
        {"organization": "org_1", "conversationId": "conv_1", "noteId": "msg_1"},
        {"organization": "org_1", "customerId": "cus_1"},
        {"organization": "org_1", "signalId": "sig_1"},
        {"organization": "org_1", "postId": "post_1"},
        {"organization": "org_1", "taskId": "task_1"},
    ],
)
def test_a_job_is_read_as_it_was_written(body: dict[str, str]) -> None:
    assert SearchJob.from_body(body).to_body() == body


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"organization": "org_1"},
        {"conversationId": "conv_1"},
        {"organization": "org_1", "messageId": "m"},
        {"organization": "org_1", "conversationId": ["conv_1"]},
        {"organization": 1, "customerId": "cus_1"},
    ],
)
def test_a_job_without_an_organization_or_a_subject_is_malformed(body: dict[str, Any]) -> None:
    with pytest.raises((KeyError, ValueError)):
        SearchJob.from_body(body)
