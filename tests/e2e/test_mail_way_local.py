"""The whole way of a conversation by mail: a customer writes, the agent and the team answer, the customer rates."""

import re
import uuid
from collections.abc import Mapping
from html import unescape
from typing import Any

import httpx

from tests.support.web import Web, eventually

PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(24)


class Customer:
    """A customer with a mail program: the page of mails of the local stack."""

    def __init__(self, stack: Mapping[str, str]) -> None:
        self._page = httpx.Client(
            base_url=stack["mail_url"], trust_env=False, follow_redirects=True, timeout=30
        )
        self._mark = uuid.uuid4().hex[:12]
        self.address = f"vera-{self._mark}@customer.example"
        self.subject = f"Signatures {self._mark}"

    def write(self, text: str) -> None:
        """Write a first mail."""
        sender = f"Vera <{self.address}>"
        fields = {"from": sender, "subject": self.subject, "text": text}
        home = self._page.get("/").text
        (to,) = set(re.findall(r'name="to" value="([^"]+)"', home))
        self._post("/write", home, {**fields, "to": to})

    def answer(self, text: str, picture: bytes | None = None) -> None:
        """Answer the newest mail, as a mail program does: with its references, and with the mail quoted."""
        thread = self.thread()
        path = re.findall(r'action="(/mails/\d+/answer)"', thread)[-1]
        (sender,) = set(re.findall(r'name="from" value="([^"]+)"', thread))
        self._post(path, thread, {"from": unescape(sender), "text": text}, picture)

    def thread(self) -> str:
        """Return the page of the thread that a mail program shows. There is one."""
        found = re.findall(
            rf'href="(/threads/\d+)">(?:(?!</a>).)*{self.subject}', self._page.get("/").text, re.DOTALL
        )
        assert len(found) == 1
        return unescape(self._page.get(found[0]).text)

    def reads(self, words: str) -> bool:
        """Return whether the thread has a mail to the customer with some words."""
        sent = re.findall(r'<article [^>]*class="out">.*?</article>', self.thread(), re.DOTALL)
        return any(words in mail for mail in sent)

    def _post(self, path: str, page: str, fields: Mapping[str, str], picture: bytes | None = None) -> None:
        token = re.findall(r'name="token" value="([^"]+)"', page)[0]
        parts = {"file": ("box.png", picture, "image/png")} if picture is not None else None
        answer = self._page.post(path, data={"token": token, **fields}, files=parts)
        assert answer.status_code == 200, answer.text


def test_a_conversation_by_mail_from_the_question_to_the_rating(stack: Mapping[str, str]) -> None:
    customer, team = Customer(stack), Web(stack["base_url"], stack["member_token"])
    customer.write("Hello,\n\nHow do I verify a webhook signature?")

    def begun() -> dict[str, Any] | None:
        listed = team.get("/v1/conversations?limit=20").body["conversations"]
        return next((each for each in listed if each["subject"] == customer.subject), None)

    conversation = eventually(begun)
    path = f"/v1/conversations/{conversation['id']}"
    assert (conversation["channel"], conversation["customer"]["email"]) == ("email", customer.address)

    def bodies() -> list[str]:
        entries = team.get(path).body["messages"]
        return [each["body"] for each in entries if each["kind"] == "message"]

    eventually(lambda: customer.reads("signature"))
    customer.answer("That did not work. I want to talk to a person.")
    eventually(lambda: team.get(path).body["conversation"]["awaitingHuman"])
    assert "That did not work. I want to talk to a person." in bodies()

    assert team.post(f"{path}/reply", {"body": "I have looked at your endpoint: it is down."}).status == 200
    eventually(lambda: customer.reads("it is down"))
    customer.answer("It looks like this:", PICTURE)

    def picture() -> dict[str, Any] | None:
        entries = [each for each in team.get(path).body["messages"] if each["kind"] == "message"]
        return entries[-1]["attachments"][0] if entries[-1]["attachments"] else None

    assert eventually(picture)["name"] == "box.png"
    assert bodies()[-1] == "It looks like this:"

    assert team.post(f"{path}/resolve").status == 200
    (token,) = set(re.findall(r"r\+([a-z2-7]{26})@", customer.thread()))
    rating = f"{stack['site_url']}rate/{token}"
    assert team.get(path).body["conversation"]["rating"] is None
    answer = httpx.post(rating, data={"stars": "5", "note": "Quick."}, trust_env=False, follow_redirects=True)
    assert answer.status_code == 200
    assert team.get(path).body["conversation"]["rating"] == 5
