"""Files on the deployed local stack: up both ways, into a message, into a webhook, and back byte for byte."""

import os
import urllib.request
import uuid
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.error import HTTPError

import pytest

from tests.support.receiver import Receiver
from tests.support.web import Web

MB = 1_000_000


@pytest.fixture
def api(stack: Mapping[str, str]) -> Iterator[Web]:
    web = Web(stack["base_url"], stack["secret_key"])
    yield web
    for webhook in web.get("/v1/webhooks").body["webhooks"]:
        web.delete(f"/v1/webhooks/{webhook['id']}")


def multipart(fields: Mapping[str, str], content: bytes) -> tuple[bytes, str]:
    """Return a form as a browser sends it: the fields, then the file."""
    boundary = uuid.uuid4().hex
    parts = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
        for name, value in fields.items()
    ]
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n'.encode()
    return b"".join([*parts, head, content, f"\r\n--{boundary}--\r\n".encode()]), boundary


def send_form(form: Mapping[str, Any], content: bytes) -> int:
    body, boundary = multipart(form["fields"], content)
    request = urllib.request.Request(
        form["url"], data=body, headers={"content-type": f"multipart/form-data; boundary={boundary}"}
    )
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return int(answer.status)
    except HTTPError as error:
        error.close()
        return error.code


def fetch(url: str) -> tuple[bytes, Mapping[str, str]]:
    """Follow a file's address as a browser would."""
    with urllib.request.urlopen(url, timeout=60) as answer:
        return answer.read(), {name.lower(): value for name, value in answer.headers.items()}


def test_a_file_of_20_mb_goes_up_is_attached_arrives_in_a_webhook_and_comes_back_byte_for_byte(
    api: Web,
) -> None:
    content = b"\x89PNG\r\n\x1a\n" + os.urandom(20 * MB - 8)
    with Receiver() as receiver:
        api.post("/v1/webhooks", {"url": receiver.url, "events": ["message.created"]})
        announced = api.post("/v1/uploads", {"name": "large.png", "type": "image/png", "size": len(content)})
        assert announced.status == 200, announced
        assert send_form(announced.body["upload"], content) in {200, 204}
        sent = api.post(
            "/v1/messages",
            {
                "session": f"visitor-{uuid.uuid4()}",
                "body": "",
                "attachments": [{"id": announced.body["id"], "name": "large.png"}],
            },
        )
        assert sent.status == 200, sent
        (attachment,) = receiver.message(sent.body["messageId"])["attachments"]
        assert attachment["size"] == 20 * MB
        assert attachment["url"] == announced.body["url"]
        back, headers = fetch(attachment["url"])
        assert back == content
        assert headers["content-type"] == "image/png"


def test_a_file_sent_again_after_a_message_attached_it_stays_what_it_was(api: Web) -> None:
    content = b"\x89PNG\r\n\x1a\n" + os.urandom(1000)
    announced = api.post("/v1/uploads", {"name": "a.png", "type": "image/png", "size": len(content)})
    assert send_form(announced.body["upload"], content) in {200, 204}
    message = {
        "session": f"visitor-{uuid.uuid4()}",
        "body": "",
        "attachments": [{"id": announced.body["id"], "name": "a.png"}],
    }
    sent = api.post("/v1/messages", message)
    assert sent.status == 200, sent
    assert send_form(announced.body["upload"], b"<html><script>alert(1)</script>") in {200, 204}
    assert fetch(announced.body["url"])[0] == content
    again = api.post("/v1/messages", message)
    assert again.status == 200, again
    assert fetch(announced.body["url"])[0] == content


def test_one_byte_over_20_mb_is_refused_at_the_announcement_and_by_the_store_itself(api: Web) -> None:
    answer = api.post("/v1/uploads", {"name": "a.bin", "type": "application/zip", "size": 20 * MB + 1})
    assert (answer.status, answer.code) == (400, "file_too_big")
    understated = api.post("/v1/uploads", {"name": "a.bin", "type": "application/zip", "size": 5})
    assert send_form(understated.body["upload"], bytes(20 * MB + 1)) == 400


def test_a_small_file_sent_as_the_body_comes_back_byte_for_byte(api: Web) -> None:
    content = bytes(range(256)) * 400
    answer = api.request(
        "POST", "/v1/uploads?name=all-bytes.bin", content, {"content-type": "application/octet-stream"}
    )
    assert answer.status == 200, answer
    assert answer.body["size"] == 102_400
    back, headers = fetch(answer.body["url"])
    assert back == content
    assert headers["content-disposition"].startswith("attachment")


def test_a_page_disguised_as_a_picture_is_refused_at_send(api: Web) -> None:
    answer = api.request(
        "POST", "/v1/uploads?name=photo.png", b"<!-- x --><html>", {"content-type": "image/png"}
    )
    assert answer.status == 200
    sent = api.post(
        "/v1/messages",
        {
            "session": f"visitor-{uuid.uuid4()}",
            "body": "",
            "attachments": [{"id": answer.body["id"], "name": "photo.png"}],
        },
    )
    assert (sent.status, sent.code) == (400, "attachment_wrong_type")
