"""The way of mail into the stack over SMTP, the page of mails, and a bounce that reaches the team."""

import re
import smtplib
import uuid
from collections.abc import Mapping
from email.message import EmailMessage
from urllib.parse import urlsplit

import httpx
import pytest

from scripts.local.deployment import client
from scripts.local.settings import settings_for
from tests.support.web import Web, eventually


@pytest.fixture
def page(stack: Mapping[str, str]) -> httpx.Client:
    """The page of mails."""
    return httpx.Client(base_url=stack["mail_url"], trust_env=False, follow_redirects=True, timeout=30)


def token(text: str) -> str:
    found = re.search(r'name="token" value="([^"]+)"', text)
    assert found is not None
    return found[1]


def thread_about(page: httpx.Client, words: str) -> str:
    """Return the path of the thread whose start in the list has some words."""

    def look() -> str | None:
        found = re.search(
            rf'href="(/threads/\d+)">(?:(?!</a>).)*{re.escape(words)}', page.get("/").text, re.DOTALL
        )
        return found[1] if found else None

    return eventually(look)


def test_a_mail_over_smtp_is_kept_and_shown_and_becomes_a_conversation(
    stack: Mapping[str, str], page: httpx.Client
) -> None:
    mark = uuid.uuid4().hex
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = "grace@example.com", stack["mail_address"], f"Parcel {mark}"
    mail.set_content(f"Where is {mark}?")
    where = urlsplit(stack["smtp_url"])
    with smtplib.SMTP(where.hostname or "", where.port or 0, timeout=10) as server:
        server.send_message(mail)

    s3 = client("s3", settings_for(urlsplit(stack["endpoint_url"]).port or 0))
    [bucket] = [
        each["Name"] for each in s3.list_buckets()["Buckets"] if "filesbucket" in each["Name"].lower()
    ]
    kept = s3.list_objects_v2(Bucket=bucket, Prefix="inbound/")["Contents"]
    newest = max(kept, key=lambda each: each["LastModified"])["Key"]
    assert f"Where is {mark}?" in s3.get_object(Bucket=bucket, Key=newest)["Body"].read().decode()
    assert f"Where is {mark}?" in page.get(thread_about(page, f"Parcel {mark}")).text
    team = Web(stack["base_url"], stack["owner_token"])

    def conversation() -> bool:
        listed = team.get("/v1/conversations").body["conversations"]
        return any(mark in each["subject"] and each["channel"] == "email" for each in listed)

    assert eventually(conversation)


def test_mail_to_elsewhere_is_refused(stack: Mapping[str, str]) -> None:
    where = urlsplit(stack["smtp_url"])
    with smtplib.SMTP(where.hostname or "", where.port or 0, timeout=10) as server:
        server.ehlo()
        server.mail("grace@example.com")
        assert server.rcpt("someone@example.com")[0] == 550


def test_a_bounce_on_the_page_of_mails_is_a_line_for_the_team(
    stack: Mapping[str, str], page: httpx.Client
) -> None:
    mark = uuid.uuid4().hex
    api, team = Web(stack["base_url"], stack["secret_key"]), Web(stack["base_url"], stack["owner_token"])
    user = {"email": f"{mark}@example.com"}
    written = api.post("/v1/messages", {"session": mark, "body": "Hello", "user": user})
    path = f"/v1/conversations/{written.body['conversationId']}"
    customer = team.get(path).body["conversation"]["customer"]["id"]
    assert team.post(f"/v1/customers/{customer}/messages", {"body": f"Parcel {mark}"}).status == 200

    thread = thread_about(page, f"Parcel {mark}")
    [name] = re.findall(r'formaction="/mails/(\d+)/bounce"', page.get(thread).text)
    assert page.post(f"/mails/{name}/bounce", data={"token": token(page.get(thread).text)}).status_code == 200

    def line() -> bool:
        entries = team.get(path).body["messages"]
        return any(
            "the address doesn't exist" in each["body"] for each in entries if each["kind"] == "system"
        )

    assert eventually(line)
