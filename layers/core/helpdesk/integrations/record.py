"""Connections, their tokens, the operator's credentials, and a connection on its way through a service's pages."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Self

from helpdesk.events.integration_jobs import App
from helpdesk.platform.record import Record, field
from helpdesk.storage import actor_name, attributes, keys, shards
from helpdesk.storage.actor_name import ActorName
from helpdesk.storage.attributes import UnreadableItem
from helpdesk.storage.table import Item

MAX_ACCOUNT_CHARACTERS = 100


class ConnectionStatus(StrEnum):
    """Whether a service lets the organization in."""

    CONNECTED = "connected"
    BROKEN = "broken"
    NOT_CONNECTED = "not_connected"


class Connection(Record, kw_only=True):
    """A connection of an organization to an account of a service.

    id          of this connection; connecting the account again makes another one
    account_id  the service's id of the account: an installation, a workspace, a server
    account     its name
    problem     why the connection is broken; None if it is not
    details     what the adapter keeps with it, such as the id of the bot; no secret
    """

    organization: str
    app: App
    slot: str
    id: str
    account_id: str
    account: str
    status: ConnectionStatus
    problem: str | None
    connected_at: int
    connected_by_name: str
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> keys.Connection:
        """The key of its item."""
        return keys.Connection(self.organization, self.app.value, self.slot)

    @classmethod
    def from_item(cls, organization: str, item: Item) -> Self:
        """Read a connection's item. Raises UnreadableItem."""
        details = item.get("details")
        try:
            app, status = App(attributes.text(item, "app")), ConnectionStatus(attributes.text(item, "status"))
        except ValueError:
            raise UnreadableItem("app") from None
        return cls(
            organization=organization,
            app=app,
            slot=attributes.text(item, "slot"),
            id=attributes.text(item, "id"),
            account_id=attributes.text(item, "accountId"),
            account=attributes.text(item, "account"),
            status=status,
            problem=attributes.optional_text(item, "problem"),
            connected_at=attributes.number(item, "connectedAt"),
            connected_by_name=ActorName(
                attributes.text(item, "connectedByName"), attributes.optional_text(item, "connectedBy")
            ),
            details=details if isinstance(details, dict) else {},
        )

    def to_item(self) -> Item:
        """Return the connection's item."""
        return {
            **self.key.attributes(),
            "GSI1PK": shards.connections(shards.shard_of(self.organization)),
            "GSI1SK": f"{self.organization}#{self.app.value}#{self.slot}",
            "organization": self.organization,
            "app": self.app.value,
            "slot": self.slot,
            "id": self.id,
            "accountId": self.account_id,
            "account": self.account,
            "status": self.status.value,
            "problem": self.problem,
            "connectedAt": self.connected_at,
            **actor_name.to_item("connectedBy", self.connected_by_name),
            "details": dict(self.details),
        }


class Tokens(Record):
    """What a service takes instead of a password, by names that the adapter chooses.

    `ends_at` (ms) is when the token that is sent ends; None if it does not. A token that ended is renewed before use.
    """

    values: Mapping[str, str] = field(default_factory=dict)
    ends_at: int | None = None

    def __repr__(self) -> str:
        """Show no secret."""
        return f"Tokens(ends_at={self.ends_at})"


class AppCredentials(Record):
    """What the operator entered for an app.

    `former` is what that replaced: what is signed with it is accepted until `former_until` (ms).
    """

    app: App
    values: Mapping[str, str]
    former: Mapping[str, str] | None = None
    former_until: int = 0

    def __getitem__(self, name: str) -> str:
        return self.values[name]

    def before(self, now: int) -> "AppCredentials | None":
        """Return the former credentials, if what is signed with them is accepted at an instant (ms)."""
        if self.former is None or now >= self.former_until:
            return None
        return AppCredentials(self.app, self.former)

    def __repr__(self) -> str:
        """Show no secret."""
        return f"AppCredentials({self.app.value})"


class ConnectState(Record, kw_only=True):
    """A connection that a person began: in which browser, for which organization, until when (ms).

    `verifier` is the secret of PKCE (RFC 7636); `way` and `account` are what the person chose, empty if nothing.
    """

    state_hash: str
    app: App
    organization: str
    user_id: str
    browser_hash: str
    verifier: str
    valid_until: int
    way: str = ""
    account: str = ""

    @classmethod
    def from_item(cls, state_hash: str, item: Item) -> Self:
        """Read a state's item."""
        return cls(
            state_hash=state_hash,
            app=App(item["app"]),
            organization=item["organization"],
            user_id=item["userId"],
            browser_hash=item["browserHash"],
            verifier=item["verifier"],
            valid_until=item["validUntil"],
            way=item.get("way", ""),
            account=item.get("account", ""),
        )

    def to_item(self) -> Item:
        """Return the state's item."""
        return {
            **keys.ConnectState(self.state_hash).attributes(),
            "app": self.app.value,
            "organization": self.organization,
            "userId": self.user_id,
            "browserHash": self.browser_hash,
            "verifier": self.verifier,
            "validUntil": self.valid_until,
            "way": self.way,
            "account": self.account,
            "expiresAt": self.valid_until // 1_000,
        }
