"""A stack with the template's own defaults: the gateway's own address, no sender of mail, closed sign-up.

The other end-to-end tests run on a stack that sets these. A second stack takes a minute, so `make test-all` alone runs
this.
"""

import re
import shlex
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from scripts.local import stack as local_stack
from scripts.local.deployment import client
from scripts.local.emulator import Emulator
from scripts.local.progress import Progress
from scripts.local.settings import LOCAL, STACK_NAME, StackSettings, read_template, settings_for
from tests.e2e.own_stack import free_port
from tests.support.effort import whole
from tests.support.web import eventually

pytestmark = pytest.mark.skipif(not whole(), reason="make test-all runs it: it starts a second stack")

# The emulated stage, on this machine's processor: no stack can start otherwise.
INEVITABLE = {"Stage", "Architecture"}
LINKS = re.compile(r'(?:href|src|action|content)="((?:https?:/)?/[^"]*)"')


class Gateway(httpx.BaseTransport):
    """Leads https://<API>.execute-api.<region>.amazonaws.com to the emulator, as AWS's names and certificates would."""

    def __init__(self, address: str, port: int) -> None:
        self._host, self._port = urlsplit(address).hostname, port
        self._transport = httpx.HTTPTransport()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        url = request.url
        if url.host == self._host:
            api = url.host.partition(".")[0]
            path = f"/_aws/execute-api/{api}".encode() + url.raw_path
            url = url.copy_with(scheme="http", host="127.0.0.1", port=self._port, raw_path=path)
        headers = {**request.headers, "host": url.netloc.decode()}
        return self._transport.handle_request(
            httpx.Request(request.method, url, headers=headers, stream=request.stream)
        )

    def close(self) -> None:
        self._transport.close()


def settings() -> StackSettings:
    """Return a stack's settings in which every parameter that the local stack sets has the template's default."""
    declared = read_template()["Parameters"]
    ours = settings_for(4566).template_parameters().keys() - INEVITABLE
    words = shlex.join(f"{name}={declared[name]['Default']}" for name in sorted(ours))
    return settings_for(
        free_port(), words, folder=LOCAL / "e2e-defaults", auth=True, guides=("rate-limits.md",)
    )


class Deployed:
    """The stack, and what a client has: an address and a key."""

    def __init__(self, chosen: StackSettings, described: dict[str, str]) -> None:
        outputs = client("cloudformation", chosen).describe_stacks(StackName=STACK_NAME)["Stacks"][0][
            "Outputs"
        ]
        self.settings = chosen
        self.address = {each["OutputKey"]: each["OutputValue"] for each in outputs}["ApiUrl"]
        self.described = described
        self.web = httpx.Client(transport=Gateway(self.address, chosen.port), timeout=40)

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> httpx.Response:
        """Call the API with the organization's secret key."""
        key = {"authorization": f"Bearer {self.described['secret_key']}"}
        return self.web.request(method, f"{self.address}{path}", json=body, headers={**key, **headers})

    def pages_links(self, page: httpx.Response) -> list[str]:
        """Return the links of a page that leave this stack's address; there should be none."""
        stage = urlsplit(self.address).path
        found = LINKS.findall(page.text)
        assert found
        return [
            each
            for each in found
            if not each.startswith((f"{self.address}/", f"{stage}/"))
            and "helpdesk" not in urlsplit(each).netloc
        ]


@pytest.fixture(scope="module")
def deployed() -> Iterator[Deployed]:
    chosen = settings()
    emulator = Emulator(chosen)
    emulator.discard()
    try:
        stack = Deployed(chosen, local_stack.up(chosen, Progress()))
        with stack.web:
            yield stack
    finally:
        emulator.discard()


def test_the_address_is_the_gateways(deployed: Deployed) -> None:
    assert re.fullmatch(r"https://[0-9a-z]+\.execute-api\.us-east-1\.amazonaws\.com/local", deployed.address)


def test_a_message_is_answered(deployed: Deployed) -> None:
    written = {"session": "visitor-0001", "body": "How many requests may I send?"}
    assert deployed.call("POST", "/v1/messages", written).status_code == 200

    def answered() -> str | None:
        [conversation] = deployed.call("GET", "/v1/messages?session=visitor-0001").json()["conversations"]
        return next((each["body"] for each in conversation["messages"] if each["sender"] == "agent"), None)

    assert eventually(answered)


def test_a_files_url_leads_to_the_file(deployed: Deployed) -> None:
    sent = deployed.web.post(
        f"{deployed.address}/v1/uploads?name=a.txt",
        content=b"Hello",
        headers={"authorization": f"Bearer {deployed.described['secret_key']}", "content-type": "text/plain"},
    )

    url = sent.json()["url"]
    assert url.startswith(f"{deployed.address}/v1/files/")
    assert deployed.web.get(url, follow_redirects=True).content == b"Hello"


def test_a_webhook_may_not_point_to_this_machine(deployed: Deployed) -> None:
    asked = {"url": "http://127.0.0.1:8787/webhooks", "events": ["message.created"]}

    assert deployed.call("POST", "/v1/webhooks", asked).status_code == 400
    assert deployed.call("POST", "/v1/webhooks", {**asked, "url": "https://example.com/x"}).status_code == 200


def test_the_help_sites_pages_and_files_for_machines_stay_at_its_address(deployed: Deployed) -> None:
    root = deployed.call("GET", "/v1/site").json()["url"]
    assert root == f"{deployed.address}/site/demo/"

    home = deployed.web.get(root)
    assert (home.status_code, deployed.pages_links(home)) == (200, [])
    sitemap = deployed.web.get(f"{root}sitemap.xml").text
    pages = re.findall(r"<loc>([^<]*)</loc>", sitemap)
    assert f"{root}articles/rate-limits" in pages
    for page in pages:
        read = deployed.web.get(page)
        assert (read.status_code, deployed.pages_links(read)) == (200, [])
    assert f"Sitemap: {root}sitemap.xml" in deployed.web.get(f"{root}robots.txt").text


def test_an_oauth_client_finds_its_way_from_a_401_to_the_page_that_says_what_is_missing(
    deployed: Deployed,
) -> None:
    refused = deployed.web.get(f"{deployed.address}/v1/me")
    [metadata] = re.findall(r'resource_metadata="([^"]*)"', refused.headers["www-authenticate"])
    resource = deployed.web.get(metadata).json()
    [issuer] = resource["authorization_servers"]
    assert issuer == f"{deployed.address}/v1"
    server = deployed.web.get(f"{issuer}/.well-known/oauth-authorization-server").json()
    callback = "http://127.0.0.1:4000/callback"
    program = {"client_name": "Shell", "redirect_uris": [callback], "token_endpoint_auth_method": "none"}
    registered = deployed.web.post(server["registration_endpoint"], json=program).json()
    asked = {
        "client_id": registered["client_id"],
        "redirect_uri": callback,
        "response_type": "code",
        "state": "s",
        "code_challenge": "x" * 43,
        "code_challenge_method": "S256",
    }

    page = deployed.web.get(server["authorization_endpoint"], params=asked, follow_redirects=True)

    assert (page.status_code, deployed.pages_links(page)) == (200, [])
    cookies = [
        (each.path, each.secure) for each in deployed.web.cookies.jar if each.name == "__Secure-helpdesk"
    ]
    assert cookies == [("/local/v1", True)]
    fields = dict(re.findall(r'name="([a-z_]+)" value="([^"]*)"', page.text))
    sent = deployed.web.post(
        f"{deployed.address}/v1/oauth/sign-in", data={**fields, "email": "ada@example.com"}
    )
    assert sent.status_code == 503
    assert "This Helpdesk can&#39;t send email yet." in sent.text


def test_an_invitations_link_shows_its_page(deployed: Deployed) -> None:
    owner = {"authorization": f"Bearer {deployed.described['owner_token']}"}
    made = deployed.call("POST", "/v1/invites", {"email": "grace@example.com", "role": "member"}, **owner)

    page = deployed.web.get(f"{deployed.address}{made.json()['path']}")

    assert (page.status_code, deployed.pages_links(page)) == (200, [])


def test_the_worker_of_integrations_writes_links_to_this_address(deployed: Deployed) -> None:
    functions = client("lambda", deployed.settings)
    named = functions.get_function_configuration(FunctionName=f"{STACK_NAME}-IntegrationWorker")

    assert named["Environment"]["Variables"]["BASE_URL"] == deployed.address
