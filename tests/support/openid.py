"""An OpenID Connect provider on loopback: the server of Authlib, with accounts, clients and faults on demand."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

import flask
from authlib.integrations.flask_oauth2 import AuthorizationServer, ResourceProtector, current_token
from authlib.oauth2.rfc6749 import OAuth2Error
from authlib.oauth2.rfc6749.grants import AuthorizationCodeGrant
from authlib.oauth2.rfc6750 import BearerTokenValidator
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oidc.core import OpenIDCode
from joserfc.jwk import RSAKey
from werkzeug.serving import BaseWSGIServer, make_server

_KEYS = [RSAKey.generate_key(2048, {"kid": name, "use": "sig"}, auto_kid=False) for name in ("one", "two")]
"""Two keys, which all providers of a run share: making one takes a tenth of a second."""


def public_keys(*numbers: int) -> list[dict[str, Any]]:
    """Return keys of a provider as it publishes them, by their numbers; the first one without a number."""
    return [dict(_KEYS[each].as_dict(private=False)) for each in numbers or (0,)]


@dataclass
class Account:
    """A person at the provider."""

    sub: str
    claims: dict[str, Any] = field(default_factory=dict)

    def get_user_id(self) -> str:
        """Authlib's name of the id."""
        return self.sub


@dataclass
class _Code:
    code: str
    client_id: str
    redirect_uri: str
    scope: str
    nonce: str
    user: Account
    code_challenge: str
    code_challenge_method: str

    def get_redirect_uri(self) -> str:
        return self.redirect_uri

    def get_scope(self) -> str:
        return self.scope

    def get_nonce(self) -> str:
        return self.nonce

    def get_auth_time(self) -> None:
        return None

    get_acr = get_amr = get_auth_time


@dataclass
class _Token:
    access_token: str
    scope: str
    user: Account

    def is_expired(self) -> bool:
        return False

    is_revoked = is_expired

    def get_scope(self) -> str:
        return self.scope


@dataclass
class _Client:
    client_id: str
    client_secret: str
    redirect_uris: list[str]
    method: str

    def get_client_id(self) -> str:
        return self.client_id

    def check_redirect_uri(self, uri: str) -> bool:
        return uri in self.redirect_uris

    def check_client_secret(self, secret: str) -> bool:
        return secret == self.client_secret

    def check_endpoint_auth_method(self, method: str, _: str) -> bool:
        return method == self.method

    def check_response_type(self, kind: str) -> bool:
        return kind == "code"

    def check_grant_type(self, kind: str) -> bool:
        return kind == "authorization_code"

    def get_allowed_scope(self, scope: str) -> str:
        return scope

    def get_default_redirect_uri(self) -> str:
        return self.redirect_uris[0]


class Provider:
    """The provider, while its block runs. What is changed of it between requests applies to the next one.

    account   who is signed in at the provider; None for a person who does not allow it
    document  overrides of the discovery document; None removes a member
    claims    overrides of the ID token's claims
    in_token  whether the ID token holds the account's claims, or only userinfo
    requests  the paths that were requested by the service, in order
    before    called with each path before it is answered; what it returns is the response instead
    """

    def __init__(self) -> None:
        self.account: Account | None = Account("sub-1", {"name": "Ada", "email": "ada@example.com"})
        self.document: dict[str, Any] = {}
        self.claims: dict[str, Any] = {}
        self.in_token = True
        self.signing = 0
        self.published = [0]
        self.error: tuple[str, str] | None = None
        self.client = _Client("client-1", "secret-of-client-1", [], "client_secret_basic")
        self.requests: list[str] = []
        self.before: Callable[[str], Any] = lambda _: None
        self.codes: dict[str, _Code] = {}
        self.tokens: dict[str, _Token] = {}
        self._app = self._made()
        self._server: BaseWSGIServer = make_server("127.0.0.1", 0, self._app, threaded=True)
        self.issuer = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join(5)
        self._server.server_close()

    def settings(self, **changed: str) -> dict[str, Any]:
        """Return the body that saves this provider."""
        oidc = {
            "issuer": self.issuer,
            "clientId": self.client.client_id,
            "clientSecret": self.client.client_secret,
            **changed,
        }
        return {"method": "oidc", "oidc": {name: value for name, value in oidc.items() if value}}

    def visit(self, address: str) -> str:
        """Open the address to which the service led a browser; return where the provider leads it back to."""
        parts = urlsplit(address)
        answer = self._app.test_client().get(f"{parts.path}?{parts.query}", base_url=self.issuer)
        assert answer.status_code == 302, answer.text
        return str(answer.headers["location"])

    def asked(self, address: str) -> dict[str, str]:
        """Return the parameters of an authorization request."""
        return {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}

    def _made(self) -> flask.Flask:
        app = flask.Flask("provider")
        server = AuthorizationServer(app, self._known, self._keep)
        server.register_grant(_by_code(self), [_id_tokens(self), CodeChallenge(required=True)])
        self._publish(app)
        self._serve(app, server)
        return app

    def _publish(self, app: flask.Flask) -> None:
        @app.before_request
        def seen() -> Any:
            path = flask.request.path
            self.requests.append(path)
            return self.before(path)

        @app.get("/.well-known/openid-configuration")
        def discovery() -> Any:
            document = {
                "issuer": self.issuer,
                "authorization_endpoint": f"{self.issuer}/authorize",
                "token_endpoint": f"{self.issuer}/token",
                "userinfo_endpoint": f"{self.issuer}/userinfo",
                "jwks_uri": f"{self.issuer}/jwks",
                "response_types_supported": ["code"],
                "id_token_signing_alg_values_supported": ["RS256"],
                "token_endpoint_auth_methods_supported": [self.client.method],
                **self.document,
            }
            return {name: value for name, value in document.items() if value is not None}

        @app.get("/jwks")
        def jwks() -> Any:
            return {"keys": public_keys(*self.published)}

    def _serve(self, app: flask.Flask, server: AuthorizationServer) -> None:
        guard = ResourceProtector()
        guard.register_token_validator(_Known(self))

        @app.get("/authorize")
        def authorize() -> Any:
            if self.error is not None:
                code, words = self.error
                sent = flask.request.args
                return flask.redirect(
                    f"{sent['redirect_uri']}?error={code}&error_description={words}&state={sent['state']}"
                )
            try:
                grant = server.get_consent_grant(end_user=self.account)
            except OAuth2Error as error:
                return {"error": error.error}, 400
            return server.create_authorization_response(grant=grant, grant_user=self.account)

        @app.post("/token")
        def token() -> Any:
            return server.create_token_response()

        @app.get("/userinfo")
        @guard("openid")  # type: ignore[untyped-decorator] # Authlib has no types
        def userinfo() -> Any:
            return {"sub": current_token.user.sub, **current_token.user.claims}

    def _known(self, client_id: str) -> _Client | None:
        return self.client if client_id == self.client.client_id else None

    def _keep(self, token: dict[str, Any], request: Any) -> None:
        self.tokens[token["access_token"]] = _Token(token["access_token"], token["scope"], request.user)


def _by_code(provider: Provider) -> type[AuthorizationCodeGrant]:
    """Return the grant of codes of a provider."""

    class ByCode(AuthorizationCodeGrant):  # type: ignore[misc] # Authlib has no types
        TOKEN_ENDPOINT_AUTH_METHODS = ("client_secret_basic", "client_secret_post")

        def save_authorization_code(self, code: str, request: Any) -> None:
            sent = request.payload.data
            provider.codes[code] = _Code(
                code,
                request.client.client_id,
                request.payload.redirect_uri,
                request.payload.scope,
                sent["nonce"],
                request.user,
                sent["code_challenge"],
                sent["code_challenge_method"],
            )

        def query_authorization_code(self, code: str, _: Any) -> _Code | None:
            return provider.codes.get(code)

        def delete_authorization_code(self, code: _Code) -> None:
            del provider.codes[code.code]

        def authenticate_user(self, code: _Code) -> Account:
            return code.user

    return ByCode


def _id_tokens(provider: Provider) -> OpenIDCode:
    """Return what adds ID tokens to the grant of codes."""

    class Tokens(OpenIDCode):  # type: ignore[misc] # Authlib has no types
        def exists_nonce(self, *_: object) -> bool:
            return False

        def get_client_algorithm(self, _: object) -> str:
            return "RS256"

        def get_encode_header(self, _: object) -> dict[str, str]:
            return {"alg": "RS256", "kid": str(_KEYS[provider.signing].kid)}

        def resolve_client_private_key(self, _: object) -> Any:
            return _KEYS[provider.signing].as_dict(private=True)

        def get_client_claims(self, client: _Client) -> dict[str, Any]:
            return {"iss": provider.issuer, "aud": client.client_id}

        def generate_user_info(self, user: Account, _: str) -> dict[str, Any]:
            said = user.claims if provider.in_token else {}
            return {"sub": user.sub, **said, **provider.claims}

    return Tokens(require_nonce=True)


class _Known(BearerTokenValidator):  # type: ignore[misc] # Authlib has no types
    def __init__(self, provider: Provider) -> None:
        super().__init__()
        self._provider = provider

    def authenticate_token(self, token: str) -> _Token | None:
        return self._provider.tokens.get(token)
