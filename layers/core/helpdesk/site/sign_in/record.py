"""How visitors sign in, and sign-ins that wait, as they are stored. Times are milliseconds since 1970."""

from collections.abc import Mapping
from typing import Any, Self

from helpdesk.platform.record import Record
from helpdesk.site.visitors.record import SignInMethod
from helpdesk.storage.table import Item


class Provider(Record, kw_only=True):
    """An OpenID Connect provider, with what its discovery document said when the settings were saved.

    secret_hint    the last four characters of the client secret
    secret_in_body whether it takes client id and secret in the body (client_secret_post) and not as Basic
    names_issuer   whether it names itself in every response (RFC 9207)
    userinfo       the address of its claims about a person; None if it has none
    """

    issuer: str
    client_id: str
    secret_hint: str
    authorization: str
    token: str
    jwks: str
    userinfo: str | None
    secret_in_body: bool
    names_issuer: bool

    @classmethod
    def from_item(cls, item: Mapping[str, Any]) -> Self:
        """Read the provider in the item of the settings."""
        return cls(
            issuer=item["issuer"],
            client_id=item["clientId"],
            secret_hint=item["secretHint"],
            authorization=item["authorization"],
            token=item["token"],
            jwks=item["jwks"],
            userinfo=item["userinfo"],
            secret_in_body=item["secretInBody"],
            names_issuer=item["namesIssuer"],
        )

    def to_item(self) -> Item:
        """Return the provider for the item of the settings."""
        return {
            "issuer": self.issuer,
            "clientId": self.client_id,
            "secretHint": self.secret_hint,
            "authorization": self.authorization,
            "token": self.token,
            "jwks": self.jwks,
            "userinfo": self.userinfo,
            "secretInBody": self.secret_in_body,
            "namesIssuer": self.names_issuer,
        }


class Problem(Record):
    """Why the last sign-in was refused.

    code     the provider's code, or ours
    message  what to change
    detail   the provider's words; None where it said none
    """

    at: int
    code: str
    message: str
    detail: str | None

    @classmethod
    def from_item(cls, item: Mapping[str, Any]) -> Self:
        """Read the problem in the item of the settings."""
        return cls(item["at"], item["code"], item["message"], item["detail"])

    def to_item(self) -> Item:
        """Return the problem for the item of the settings."""
        return {"at": self.at, "code": self.code, "message": self.message, "detail": self.detail}


class SignInSettings(Record, kw_only=True):
    """How visitors of an organization's help site sign in.

    epoch    counts the changes of the method. A session of an earlier epoch is over
    version  counts all changes; 0 if nobody has set anything
    """

    method: SignInMethod = SignInMethod.MEDIAN
    app_url: str | None = None
    provider: Provider | None = None
    problem: Problem | None = None
    epoch: int = 0
    version: int = 0

    @classmethod
    def from_item(cls, item: Item | None) -> Self:
        """Read the item; without one the defaults apply."""
        if item is None:
            return cls()
        provider, problem = item["provider"], item.get("problem")
        return cls(
            method=SignInMethod(item["method"]),
            app_url=item["appUrl"],
            provider=None if provider is None else Provider.from_item(provider),
            problem=None if problem is None else Problem.from_item(problem),
            epoch=item["epoch"],
            version=item["version"],
        )

    def to_item(self) -> Item:
        """Return the attributes of the item, without its keys."""
        return {
            "method": self.method.value,
            "appUrl": self.app_url,
            "provider": None if self.provider is None else self.provider.to_item(),
            "problem": None if self.problem is None else self.problem.to_item(),
            "epoch": self.epoch,
            "version": self.version,
        }


class TokenRecord(Record):
    """A token of the customer's app that was checked and waits for the browser in which its sign-in began.

    `claims` holds who signs in, as the app says. It is removed with the token's use.
    """

    claims: Mapping[str, Any]
    state: str
    epoch: int
    valid_until: int

    @classmethod
    def from_item(cls, item: Item) -> Self:
        """Read the item of a token that is not used."""
        return cls(item["claims"], item["state"], item["epoch"], item["validUntil"])

    def to_item(self) -> Item:
        """Return the attributes of the item, without its keys."""
        return {
            "claims": dict(self.claims),
            "state": self.state,
            "epoch": self.epoch,
            "validUntil": self.valid_until,
        }
