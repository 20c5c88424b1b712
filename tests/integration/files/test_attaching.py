"""A file that was announced is attached wherever files are, once its bytes are there."""

from collections.abc import Callable

import pytest

from tests.integration.files.test_uploads import PNG, announced
from tests.support.api import Answer, Client

VISITOR = {"session": "session-of-ada", "body": "Hello", "user": {"name": "Ada", "email": "ada@example.com"}}


def reply(api: Client, file_id: str) -> Answer:
    conversation = api.post("/v1/messages", VISITOR).body["conversationId"]
    body = {"body": "Look.", "attachments": [{"id": file_id, "name": "photo.png"}]}
    return api.post(f"/v1/conversations/{conversation}/reply", body)


def write_first(api: Client, file_id: str) -> Answer:
    api.post("/v1/messages", VISITOR)
    [customer] = api.get("/v1/customers").body["customers"]
    body = {"body": "Look.", "attachments": [{"id": file_id, "name": "photo.png"}]}
    return api.post(f"/v1/customers/{customer['id']}/messages", body)


def report(api: Client, file_id: str) -> Answer:
    body = {"kind": "bug", "title": "The door is stuck", "who": "Ada", "images": [{"id": file_id}]}
    return api.post("/v1/signals", body)


@pytest.mark.parametrize("attach", [reply, write_first, report])
def test_an_announced_file_is_attached_only_after_it_was_uploaded(
    api: Client, attach: Callable[[Client, str], Answer]
) -> None:
    assert attach(api, announced(api, None)).code == "attachment_missing"
    assert attach(api, announced(api, PNG)).status == 200
