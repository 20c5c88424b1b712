"""A browser on a running stack: an admin of the demo organization connects an account of a service."""

import json
import re
import urllib.request
import uuid
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx

from scripts.local.operating import Operator
from tests.support.api import Answer
from tests.support.visitor import FORM, Visitor
from tests.support.web import eventually


class Browser(Visitor):
    """A browser that asks a stack over HTTP."""

    def __init__(self, stack: Mapping[str, str]) -> None:
        super().__init__()
        self._base_url = stack["base_url"]

    def _ask(self, method: str, url: str, body: str | None = None, **headers: str) -> Answer:
        sent = {**self.headers, **({"content-type": FORM} if body is not None else {}), **headers}
        path = url[url.index("/v1/") :]
        if self.cookies:
            sent["cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        answer = httpx.request(
            method, f"{self._base_url}{path}", content=body, headers=sent, timeout=40, trust_env=False
        )
        self.cookies |= dict(answer.cookies)
        self.page = Answer(answer.status_code, dict(answer.headers), answer.text)
        return self.page


def codes_mailed(stack: Mapping[str, str], address: str) -> list[str]:
    """Return the codes that were mailed to an address, in order."""
    with urllib.request.urlopen(stack["mail_json_url"]) as answer:
        by_account: dict[str, list[dict[str, Any]]] = json.load(answer)["messages"]
    mails = [mail for sent in by_account.values() for mail in sent if mail["To"] == [address]]
    return [code for mail in mails for code in re.findall(r"\b[0-9]{6}\b", mail["BodyText"])]


def connect(stack: Mapping[str, str], operator: Operator, app: str, **brought_back: str) -> None:
    """Connect the demo organization to an account, as an admin who has had no code by mail yet: few go to an address.

    `brought_back` is what the service's page adds to its redirect.
    """
    email = f"admin-{uuid.uuid4().hex[:8]}@example.com"
    who = ("--email", email, "--name", "Connecting Admin", "--role", "admin")
    operator.run("add-member", stack["organization_id"], *who)
    browser = Browser(stack)
    browser.open(f"/v1/connect/{app}")
    browser.press(email=email)
    [code] = eventually(lambda: codes_mailed(stack, email))
    browser.press(code=code)
    leads_to = browser.press(organization=stack["organization_id"]).headers["location"]
    [state] = parse_qs(urlsplit(leads_to).query)["state"]
    page = browser.open(f"/v1/connect/{app}/callback?{urlencode({**brought_back, 'state': state})}")
    assert page.status == 200, page.body
