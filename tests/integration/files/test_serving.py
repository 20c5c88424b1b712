"""What a file's address serves, whatever is uploaded to S3 afterwards."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from botocore.exceptions import ClientError

from helpdesk.conversations.files import store
from helpdesk.platform import clients
from helpdesk.platform.settings import settings
from tests.integration.files.test_uploads import (
    PNG,
    attach,
    download,
    sent_to,
    served,
    uploaded,
    write,
)
from tests.support.api import Client
from tests.support.aws import recorded_calls


def test_a_files_url_returns_its_bytes_without_a_credential(api: Client, anonymous: Client) -> None:
    answer = download(anonymous, uploaded(api)["url"])
    assert answer.status == 302
    location = answer.headers["location"]
    assert "response-content-disposition=inline" in location
    assert "response-content-type=image%2Fpng" in location
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    ("content", "media_type"),
    [
        (b"<html>", "image/png"),
        (b"hello", "text/html"),
        (b"<svg/>", "image/svg+xml"),
        (b"%PDF-", "application/pdf"),
    ],
)
def test_a_file_that_a_browser_could_run_is_a_download(api: Client, content: bytes, media_type: str) -> None:
    location = download(api, uploaded(api, content, media_type=media_type)["url"]).headers["location"]
    assert "response-content-disposition=attachment" in location
    assert "response-content-type=application%2Foctet-stream" in location


def test_an_announced_file_is_displayed_only_after_its_content_was_checked(api: Client) -> None:
    answer = api.post("/v1/uploads", {"name": "photo.png", "type": "image/png", "size": 108})
    assert download(api, answer.body["url"]).code == "file_not_found"
    key = answer.body["upload"]["fields"]["key"]
    clients.s3().put_object(Bucket=settings().files_bucket, Key=key, Body=PNG)
    assert "attachment" in download(api, answer.body["url"]).headers["location"]
    attach(api, answer.body["id"])
    assert "inline" in download(api, answer.body["url"]).headers["location"]


SPLIT = b"a" * 16_383 + "ü".encode() + b"b"  # the first read ends within the letter


@pytest.mark.parametrize(
    ("content", "declared", "served_as"),
    [
        ("Grüße".encode(), "text/plain", "text/plain; charset=utf-8"),
        (SPLIT, "text/plain", "text/plain; charset=utf-8"),
        ("Grüße".encode(), "text/plain; Charset=UTF-8", "text/plain; charset=UTF-8"),
        (
            "Grüße".encode("cp1252"),
            'text/plain; format=flowed; charset="iso-8859-1"',
            "text/plain; charset=iso-8859-1",
        ),
        ("Grüße".encode("cp1252"), "text/plain", "text/plain"),
        (PNG, "image/png; charset=utf-8", "image/png"),
        (b"a,b", "text/csv; charset=utf-8", "application/octet-stream"),
    ],
)
def test_text_is_served_in_its_charset_in_both_ways_of_uploading(
    api: Client, content: bytes, declared: str, served_as: str
) -> None:
    announced = api.post("/v1/uploads", {"name": "a.txt", "type": declared, "size": len(content)}).body
    write(announced["upload"]["fields"]["key"], content)
    attach(api, announced["id"])

    assert type_served(api, announced["url"]) == served_as
    assert type_served(api, uploaded(api, content, media_type=declared)["url"]) == served_as


def type_served(api: Client, url: str) -> str:
    location = download(api, url).headers["location"]
    return parse_qs(urlsplit(location).query)["response-content-type"][0]


def sizes(api: Client) -> list[int]:
    (conversation,) = api.get("/v1/messages?session=session-1").body["conversations"]
    return [file["size"] for message in conversation["messages"] for file in message["attachments"]]


@contextmanager
def conditions_of_copies(*, after_reading: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Enforce the conditions of copies, as S3 does and moto does not; do something after the next read."""
    s3, bucket = clients.s3(), settings().files_bucket
    pending = [after_reading]

    def etag(key: str) -> str | None:
        listed = s3.list_objects_v2(Bucket=bucket, Prefix=key).get("Contents", [])
        return next((item["ETag"] for item in listed if item["Key"] == key), None)

    def judge(params: dict[str, Any], **_: Any) -> None:
        source = params["headers"]["x-amz-copy-source"].partition("/")[2]
        destination = params["url_path"].lstrip("/").removeprefix(f"{bucket}/")
        changed = etag(source) != params["headers"]["x-amz-copy-source-if-match"]
        if changed or (params["headers"]["If-None-Match"] == "*" and etag(destination) is not None):
            raise ClientError({"Error": {"Code": "PreconditionFailed"}}, "CopyObject")

    def read(**_: Any) -> None:
        if pending:
            pending.pop()()

    s3.meta.events.register("before-call.s3.CopyObject", judge)
    s3.meta.events.register("after-call.s3.GetObject", read)
    try:
        yield
    finally:
        s3.meta.events.unregister("before-call.s3.CopyObject", judge)
        s3.meta.events.unregister("after-call.s3.GetObject", read)


def test_a_form_cannot_write_where_attached_files_are_stored(api: Client) -> None:
    file, key = sent_to(api)
    assert key.startswith("incoming/org_")
    assert key.endswith("/" + file["id"])


def test_bytes_uploaded_after_the_file_was_attached_do_not_change_what_is_served(
    api: Client,
) -> None:
    file, key = sent_to(api)
    with conditions_of_copies():
        attach(api, file["id"])
        write(key, b"<html><script>alert(1)</script>")
        assert served(api, file["url"]) == PNG
        assert attach(api, file["id"]).status == 200
    assert served(api, file["url"]) == PNG
    assert sizes(api) == [108, 108]


def test_bytes_replaced_between_check_and_copy_are_checked_again(api: Client) -> None:
    file, key = sent_to(api)
    with conditions_of_copies(after_reading=lambda: write(key, b"<html>")):
        assert attach(api, file["id"]).code == "attachment_wrong_type"
    other, key = sent_to(api)
    with conditions_of_copies(after_reading=lambda: write(key, PNG + b"more")):
        assert attach(api, other["id"]).status == 200
    assert served(api, other["url"]) == PNG + b"more"
    assert sizes(api) == [112]


def test_a_file_whose_bytes_change_during_each_check_is_missing(
    api: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, _ = sent_to(api)
    monkeypatch.setattr(store, "keep", lambda *_: False)
    assert attach(api, file["id"]).code == "attachment_missing"


def test_the_next_message_attaches_the_copy_of_the_first_even_if_the_first_was_rejected(
    api: Client,
) -> None:
    file, key = sent_to(api)
    attachments = [{"id": file["id"], "name": "photo.png"}]
    with conditions_of_copies():
        refused = api.post("/v1/messages", {"session": "s", "body": "", "attachments": attachments})
        assert refused.code == "invalid_session"
        reply = {"body": "", "attachments": attachments}
        assert api.post("/v1/conversations/conv_none/reply", reply).status == 404
        write(key, PNG + b"more")
        assert attach(api, file["id"]).status == 200
    assert served(api, file["url"]) == PNG
    assert sizes(api) == [108]


def test_a_file_uploaded_to_s3_is_read_and_copied_once_per_message(api: Client) -> None:
    file, _ = sent_to(api)
    with recorded_calls() as calls:
        assert attach(api, file["id"], file["id"]).status == 200
    assert (calls.count("s3:GetObject"), calls.count("s3:CopyObject")) == (1, 1)


def test_a_url_with_one_wrong_letter_is_not_found(api: Client) -> None:
    url = uploaded(api)["url"]
    changed = url[:-1] + ("a" if url[-1] != "a" else "b")
    for wrong in (changed, url[:-1], "nothing", "x" * 500):
        answer = download(api, wrong)
        assert (answer.status, answer.code) == (404, "file_not_found")
