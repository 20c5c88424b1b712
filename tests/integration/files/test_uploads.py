import base64
from typing import Any

import pytest

from helpdesk.api.admission.limits import Plan
from helpdesk.conversations.files import service as files
from helpdesk.conversations.files import store
from helpdesk.platform import clients, clock
from helpdesk.platform.settings import settings
from tests.support.api import Answer, Client, Context, function, gateway_event
from tests.support.aws import recorded_calls
from tests.support.table import events

PNG = b"\x89PNG\r\n\x1a\n" + bytes(100)
MB = 1_000_000
HOUR_US = 3_600_000_000


def send_bytes(
    api: Client, content: bytes, name: str | None = "photo.png", media_type: str = "image/png"
) -> Answer:
    """Upload a file as API Gateway sends it: in Base64."""
    url = "/v1/uploads" + (f"?name={name}" if name is not None else "")
    event = gateway_event("POST", url, headers={"content-type": media_type})
    event["headers"]["authorization"] = f"Bearer {api.credential}"
    event["body"], event["isBase64Encoded"] = base64.b64encode(content).decode(), True
    return api.answer_to(event)


def uploaded(api: Client, content: bytes = PNG, **how: Any) -> dict[str, Any]:
    answer = send_bytes(api, content, **how)
    assert answer.status == 200, answer
    return dict(answer.body)


def announced(
    api: Client, content: bytes | None, name: str = "photo.png", media_type: str = "image/png"
) -> str:
    """Announce a file and, unless `content` is None, write its bytes where S3's form would."""
    answer = api.post("/v1/uploads", {"name": name, "type": media_type, "size": len(content or b"x")})
    assert answer.status == 200, answer
    if content is not None:
        bucket, key = settings().files_bucket, answer.body["upload"]["fields"]["key"]
        clients.s3().put_object(Bucket=bucket, Key=key, Body=content)
    return str(answer.body["id"])


def attach(api: Client, *file_ids: str, body: str = "", name: str = "photo.png") -> Answer:
    attachments = [{"id": file_id, "name": name} for file_id in file_ids]
    return api.post("/v1/messages", {"session": "session-1", "body": body, "attachments": attachments})


def test_an_uploaded_file_returns_its_metadata_and_url(api: Client) -> None:
    body = uploaded(api)
    assert body["name"] == "photo.png"
    assert body["type"] == "image/png"
    assert body["size"] == 108
    assert body["upload"] is None
    assert body["url"].startswith("https://api.example.test/local/v1/files/")


def test_an_announced_file_returns_a_form_that_s3_limits(api: Client) -> None:
    answer = api.post("/v1/uploads", {"name": "film.mp4", "type": "video/mp4", "size": 20 * MB})
    assert answer.status == 200
    form = answer.body["upload"]
    policy = base64.b64decode(form["fields"]["policy"]).decode()
    assert '["content-length-range", 1, 20000000]' in policy
    assert {"key", "policy", "Content-Type"} <= set(form["fields"])


def test_an_empty_file_is_rejected_in_both_ways_of_uploading(api: Client) -> None:
    for media_type in ("image/png", "", "application/json", "multipart/form-data; boundary=x", "no type"):
        for name in ("photo.png", None):
            answer = send_bytes(api, b"", name=name, media_type=media_type)
            assert (answer.status, answer.code) == (400, "empty_file"), media_type
    answer = api.post("/v1/uploads", {"name": "a", "type": "image/png", "size": 0})
    assert (answer.status, answer.code) == (400, "empty_file")


def test_a_file_of_one_byte_over_20_mb_is_refused(api: Client) -> None:
    answer = api.post("/v1/uploads", {"name": "a", "type": "image/png", "size": 20 * MB + 1})
    assert (answer.status, answer.code) == (400, "file_too_big")
    assert send_bytes(api, bytes(20 * MB + 1)).code == "file_too_big"


def test_a_name_over_200_characters_is_cut(api: Client) -> None:
    assert uploaded(api, name="n" * 201)["name"] == "n" * 200


def test_a_file_without_name_or_type_gets_defaults(api: Client) -> None:
    body = uploaded(api, name=None, media_type="")
    assert (body["name"], body["type"]) == ("file", "application/octet-stream")


@pytest.mark.parametrize("media_type", ["image", "image/", "im age/png", "image/png/x"])
def test_an_invalid_media_type_is_rejected(api: Client, media_type: str) -> None:
    assert send_bytes(api, PNG, media_type=media_type).code == "invalid_request"
    answer = api.post("/v1/uploads", {"name": "a", "type": media_type, "size": 5})
    assert (answer.status, answer.code) == (400, "invalid_request")


@pytest.mark.parametrize(
    "content", [b"[1, 2]", b'{"name": "a", "type": "b/c", "size": 5}', b"no JSON", b"\xff"]
)
def test_with_a_name_the_body_is_the_file_also_if_its_type_is_json(api: Client, content: bytes) -> None:
    body = uploaded(api, content, name="data.json", media_type="application/json; charset=utf-8")

    assert (body["name"], body["type"], body["size"]) == ("data.json", "application/json", len(content))
    assert served(api, body["url"]) == content


def test_an_empty_name_also_says_that_the_body_is_the_file(api: Client) -> None:
    assert uploaded(api, b"{}", name="", media_type="application/json")["name"] == "file"


def test_a_name_loses_line_breaks_and_hidden_characters(api: Client) -> None:
    file = uploaded(api, name="%E2%80%AEgpj.exe%0D%0Ax%00")
    assert file["name"] == "gpj.exe x"
    assert uploaded(api, name="%E2%80%8B%E3%85%A4")["name"] == "file"
    announced_name = api.post("/v1/uploads", {"name": "\u202ea\nb", "type": "image/png", "size": 1}).body[
        "name"
    ]
    assert announced_name == "a b"

    assert attach(api, file["id"], name="\u2066My\nphoto\u2069").status == 200
    assert attach(api, file["id"], name="\u200b").status == 200
    (conversation,) = api.get("/v1/messages?session=session-1").body["conversations"]
    shown = [message["attachments"][0]["name"] for message in conversation["messages"]]
    assert shown == ["My photo", "gpj.exe x"]


def test_uploads_have_their_own_allowance(make_organization: Any) -> None:
    api = Client(make_organization(Plan.EXPLORE, api_limits=False).secret_key)
    assert [send_bytes(api, PNG).status for _ in range(3)] == [200, 200, 429]
    assert api.post("/v1/messages", {"session": "session-1", "body": "hello"}).status == 200


def test_an_attached_file_is_in_the_thread_and_in_the_event(api: Client) -> None:
    file = uploaded(api)
    answer = attach(api, file["id"], name="My photo.png")
    assert answer.status == 200, answer
    shown = {"name": "My photo.png", "size": 108, "type": "image/png", "url": file["url"]}
    (conversation,) = api.get("/v1/messages?session=session-1").body["conversations"]
    assert conversation["messages"][0]["attachments"] == [shown]
    assert events()[1]["data"]["message"]["attachments"] == [shown]


def test_a_file_uploaded_to_s3_is_attached_with_its_real_size(api: Client) -> None:
    file_id = announced(api, PNG + bytes(5))
    assert attach(api, file_id).status == 200
    (conversation,) = api.get("/v1/messages?session=session-1").body["conversations"]
    assert conversation["messages"][0]["attachments"][0]["size"] == 113


def test_a_teammate_can_attach_files(api: Client) -> None:
    conversation_id = attach(api, uploaded(api)["id"]).body["conversationId"]
    file = uploaded(api)
    answer = api.post(
        f"/v1/conversations/{conversation_id}/reply",
        {"body": "", "attachments": [{"id": file["id"], "name": "b.png"}]},
    )
    assert answer.status == 200, answer
    thread = api.get(f"/v1/conversations/{conversation_id}").body["messages"]
    assert thread[1]["attachments"][0]["url"] == file["url"]


def test_an_announced_file_that_was_never_sent_is_missing(api: Client) -> None:
    assert attach(api, announced(api, None)).code == "attachment_missing"


def test_a_page_with_the_name_of_a_picture_is_uploaded_but_cannot_be_attached(api: Client) -> None:
    for file_id in (uploaded(api, b"<html>hello</html>")["id"], announced(api, b" <!-- --><HTML>")):
        answer = attach(api, file_id)
        assert (answer.status, answer.code) == (400, "attachment_wrong_type")


def test_a_name_does_not_make_a_file_a_page(api: Client) -> None:
    assert attach(api, uploaded(api, name="page.html")["id"], name="page.html").status == 200
    assert attach(api, announced(api, PNG, name="page.svg"), name="page.svg").status == 200


def test_text_is_what_it_says_and_never_displayed_as_a_page(api: Client) -> None:
    source = uploaded(api, b"<html>hello</html>", media_type="text/plain")
    assert attach(api, source["id"]).status == 200
    assert attach(api, announced(api, b"<html>hello</html>", media_type="text/markdown")).status == 200
    location = download(api, source["url"]).headers["location"]
    assert "response-content-type=text%2Fplain" in location


def test_a_file_that_begins_with_a_long_comment_is_read_whole(api: Client) -> None:
    comment = b"<!--" + b"x" * 100_000 + b"-->"
    harmless = announced(api, comment + b"<order/>", media_type="application/xml")
    with recorded_calls() as calls:
        assert attach(api, harmless).status == 200
    assert calls.count("s3:GetObject") == 2
    page = announced(api, comment + b"<html>", media_type="application/zip")
    assert attach(api, page).code == "attachment_wrong_type"


def test_a_refused_message_attaches_nothing(api: Client) -> None:
    good = uploaded(api)["id"]
    assert attach(api, good, "file_nothing").code == "attachment_missing"
    assert attach(api, good).status == 200


def test_the_same_file_can_be_attached_twice(api: Client) -> None:
    file_id = uploaded(api)["id"]
    assert attach(api, file_id, file_id).status == 200
    assert attach(api, file_id).status == 200


def test_a_message_costs_two_calls_more_for_an_unchecked_file(api: Client) -> None:
    attach(api, uploaded(api)["id"])
    large = announced(api, PNG)
    with recorded_calls() as calls:
        attach(api, large)
    assert calls == [
        "dynamodb:UpdateItem",
        "dynamodb:BatchGetItem",
        "s3:GetObject",
        "s3:CopyObject",
        "dynamodb:GetItem",
        "dynamodb:TransactWriteItems",
    ]


def download(api: Client, url: str) -> Answer:
    return api.get("/v1/files/" + url.rpartition("/")[2])


def sent_to(api: Client, content: bytes = PNG) -> tuple[dict[str, Any], str]:
    """Announce a picture and upload it; return the response and the key that S3's form writes."""
    answer = api.post("/v1/uploads", {"name": "photo.png", "type": "image/png", "size": len(content)})
    key = str(answer.body["upload"]["fields"]["key"])
    write(key, content)
    return dict(answer.body), key


def write(key: str, content: bytes) -> None:
    clients.s3().put_object(Bucket=settings().files_bucket, Key=key, Body=content)


def served(api: Client, url: str) -> bytes:
    """Return what the redirect of a file's URL serves."""
    path = download(api, url).headers["location"].partition("?")[0]
    key = path[path.index("incoming/") if "incoming/" in path else path.index("org_") :]
    return clients.s3().get_object(Bucket=settings().files_bucket, Key=key)["Body"].read()


def test_an_unattached_file_is_removed_after_a_day_and_an_attached_one_stays(api: Client) -> None:
    start = clock.now_us()
    with clock.frozen(lambda: start):
        kept, dropped, unsent = uploaded(api), uploaded(api), announced(api, None)
        attach(api, kept["id"])
    with clock.frozen(lambda: start + 24 * HOUR_US - 1):
        assert files.remove_unattached() == 0
    with clock.frozen(lambda: start + 26 * HOUR_US):
        function("upload_cleanup").handler({}, Context())
        assert download(api, kept["url"]).status == 302
        assert download(api, dropped["url"]).code == "file_not_found"
        assert attach(api, dropped["id"]).code == "attachment_missing"
        assert attach(api, unsent).code == "attachment_missing"
    left = clients.s3().list_objects_v2(Bucket=settings().files_bucket)["Contents"]
    assert [item["Key"].rpartition("/")[2] for item in left] == [kept["id"]]


def test_a_cleanup_removes_dozens_of_files_and_their_bytes(api: Client) -> None:
    start = clock.now_us()
    for hour in range(4):
        with clock.frozen(lambda hour=hour: start + hour * HOUR_US):  # type: ignore[misc]
            for _ in range(8):
                uploaded(api)
                sent_to(api)
    with clock.frozen(lambda: start + 30 * HOUR_US):
        assert files.remove_unattached() == 64
        assert files.remove_unattached() == 0
    assert "Contents" not in clients.s3().list_objects_v2(Bucket=settings().files_bucket)


def test_a_cleanup_makes_up_for_two_weeks_of_missed_runs(api: Client) -> None:
    start = clock.now_us()
    with clock.frozen(lambda: start):
        uploaded(api)
    with clock.frozen(lambda: start + 14 * 24 * HOUR_US):
        assert files.remove_unattached() == 1


def test_a_file_that_cannot_be_removed_does_not_stop_the_others(
    api: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = clock.now_us()
    with clock.frozen(lambda: start):
        stuck, *others = [uploaded(api) for _ in range(24)]
    delete = store.delete

    def fail_once(organization: str, file_id: str) -> None:
        if file_id == stuck["id"]:
            raise TimeoutError
        delete(organization, file_id)

    with clock.frozen(lambda: start + 26 * HOUR_US), monkeypatch.context() as patch:
        patch.setattr(store, "delete", fail_once)
        with pytest.raises(TimeoutError):
            files.remove_unattached()
    left = clients.s3().list_objects_v2(Bucket=settings().files_bucket)["Contents"]
    assert [item["Key"].rpartition("/")[2] for item in left] == [stuck["id"]]
    assert len(others) == 23
    with clock.frozen(lambda: start + 27 * HOUR_US):
        assert files.remove_unattached() == 1


def test_an_interrupted_cleanup_is_finished_by_the_next(api: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    start = clock.now_us()
    with clock.frozen(lambda: start):
        file = uploaded(api)
    with clock.frozen(lambda: start + 26 * HOUR_US), monkeypatch.context() as patch:
        patch.setattr(store, "delete", lambda *_: (_ for _ in ()).throw(TimeoutError))
        with pytest.raises(TimeoutError):
            files.remove_unattached()
        assert attach(api, file["id"]).code == "attachment_missing"
    with clock.frozen(lambda: start + 27 * HOUR_US):
        assert files.remove_unattached() == 1


def test_a_form_is_rejected_with_what_to_send_instead(api: Client) -> None:
    answer = send_bytes(api, PNG, media_type="multipart/form-data; boundary=x")
    assert (answer.status, answer.code) == (400, "invalid_request")
    assert "--data-binary" in answer.message


def test_the_default_media_type_of_clients_counts_as_none(api: Client) -> None:
    body = uploaded(api, media_type="application/x-www-form-urlencoded")
    assert body["type"] == "application/octet-stream"


@pytest.mark.parametrize(
    "media_type", ["application/jsonl", "application/json5", "application/json-patch+json"]
)
def test_a_media_type_that_only_starts_like_json_is_a_files_type(api: Client, media_type: str) -> None:
    assert uploaded(api, b"{}", media_type=media_type)["type"] == media_type


def test_urls_are_signed_for_the_regional_host(api: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-north-1")
    clients.forget()
    try:
        url, _ = store.upload_form("org_1", "file_1")
        address = store.download_url("org_1", "file_1", "photo.png", "image/png")
    finally:
        clients.forget()
    assert "s3.eu-north-1.amazonaws.com" in url
    assert "s3.eu-north-1.amazonaws.com" in address
