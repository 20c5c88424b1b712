"""Clients that others wrote log in: Authlib by code and by device, the MCP SDK by discovery and registration."""

import asyncio
import threading
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import httpx
import httpx2
import pytest
from authlib.integrations.requests_client import OAuth2Session
from pydantic import AnyUrl

from helpdesk.platform.settings import settings
from tests.integration.oauth.conftest import DEVICE, SignIn, register
from tests.support.visitor import Visitor, parts_of
from tests.support.wsgi import application

CALLBACK = "http://127.0.0.1:9/callback"


class _Quiet(WSGIRequestHandler):
    def log_message(self, *args: Any) -> None:
        """Say nothing."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The functions behind HTTP on this machine; returns the address that /v1/… follows."""
    with make_server("127.0.0.1", 0, application, WSGIServer, _Quiet) as server:
        base_url = f"http://127.0.0.1:{server.server_port}"
        monkeypatch.setenv("BASE_URL", base_url)
        settings.cache_clear()
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        yield base_url
        server.shutdown()
        thread.join(5)


def allowed(sign_in: SignIn, address: str) -> str:
    """Let a person open an address, sign in and allow; return where the browser is led."""
    parts = urlsplit(address)
    visitor = Visitor()
    visitor.open(f"{parts.path}?{parts.query}")
    sign_in(visitor)
    return visitor.press(("decision", "allow"), action="/consent").headers["location"]


@pytest.mark.parametrize("method", ["none", "client_secret_basic", "client_secret_post"])
def test_authlib_logs_in_by_code_refreshes_and_revokes(server: str, sign_in: SignIn, method: str) -> None:
    program = register(redirect_uris=[CALLBACK], token_endpoint_auth_method=method)
    session = OAuth2Session(
        program.id,
        program.secret,
        token_endpoint_auth_method=method,
        revocation_endpoint_auth_method=method,
        redirect_uri=CALLBACK,
        scope="api",
        code_challenge_method="S256",
    )
    verifier = "v" * 64
    metadata = httpx.get(f"{server}/v1/.well-known/oauth-authorization-server", timeout=10).json()
    address, state = session.create_authorization_url(
        metadata["authorization_endpoint"], code_verifier=verifier
    )

    led_to = allowed(sign_in, address)
    first = session.fetch_token(
        metadata["token_endpoint"], authorization_response=led_to, code_verifier=verifier, state=state
    )
    me = session.get(f"{server}/v1/me")
    second = session.refresh_token(metadata["token_endpoint"], refresh_token=first["refresh_token"])
    revoked = session.revoke_token(
        metadata["revocation_endpoint"], token=second["refresh_token"], token_type_hint="refresh_token"
    )

    assert parts_of(led_to)[1]["iss"] == metadata["issuer"]
    assert me.json()["user"]["email"] == "ada@example.com"
    assert second["access_token"] != first["access_token"]
    assert revoked.status_code == 200
    gone = httpx.get(
        f"{server}/v1/me", headers={"authorization": f"Bearer {second['access_token']}"}, timeout=10
    )
    assert gone.status_code == 401


def test_authlib_logs_in_a_device(server: str, sign_in: SignIn) -> None:
    program = register(grant_types=[DEVICE, "refresh_token"], redirect_uris=[])
    metadata = httpx.get(f"{server}/v1/.well-known/oauth-authorization-server", timeout=10).json()
    login = httpx.post(
        metadata["device_authorization_endpoint"], data={"client_id": program.id}, timeout=10
    ).json()
    visitor = Visitor()
    visitor.open(urlsplit(login["verification_uri"]).path)
    visitor.press(user_code=login["user_code"])
    sign_in(visitor)
    visitor.press(("decision", "allow"), action="/consent")

    session = OAuth2Session(program.id, token_endpoint_auth_method="none")
    token = session.fetch_token(
        metadata["token_endpoint"], grant_type=DEVICE, device_code=login["device_code"]
    )

    assert token["access_token"].startswith("svc_oat_")
    assert session.get(f"{server}/v1/me").status_code == 200


def test_the_mcp_sdk_finds_the_server_registers_and_logs_in(server: str, sign_in: SignIn) -> None:
    from mcp.client.auth import OAuthClientProvider  # noqa: PLC0415 - heavy
    from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata  # noqa: PLC0415

    led: dict[str, str] = {}

    class Storage:
        """Keeps what the SDK is given."""

        tokens: Any = None
        client: Any = None

        async def get_tokens(self) -> Any:
            return self.tokens

        async def set_tokens(self, tokens: Any) -> None:
            self.tokens = tokens

        async def get_client_info(self) -> Any:
            return self.client

        async def set_client_info(self, client_info: Any) -> None:
            self.client = client_info

    async def open_browser(address: str) -> None:
        led["address"] = address
        led["to"] = allowed(sign_in, address)

    async def callback() -> Any:
        answered = parts_of(led["to"])[1]
        return AuthorizationCodeResult(code=answered["code"], state=answered["state"], iss=answered["iss"])

    storage = Storage()
    provider = OAuthClientProvider(
        server_url=f"{server}/v1/me",
        client_metadata=OAuthClientMetadata(
            client_name="An MCP client",
            redirect_uris=[AnyUrl(CALLBACK)],
            grant_types=["authorization_code", "refresh_token"],
            response_types=["code"],
            token_endpoint_auth_method="none",
        ),
        storage=storage,
        redirect_handler=open_browser,
        callback_handler=callback,
    )

    async def ask() -> Any:
        async with httpx2.AsyncClient(auth=provider) as client:
            return await client.get(f"{server}/v1/me")

    answer = asyncio.run(ask())

    assert answer.status_code == 200
    assert answer.json()["user"]["email"] == "ada@example.com"
    assert storage.client.client_id.startswith("client_")
    assert storage.tokens.refresh_token.startswith("svc_ort_")
    asked = parse_qs(urlsplit(led["address"]).query)
    assert asked["code_challenge_method"] == ["S256"]
    assert asked["resource"] == [f"{server}/v1"]
