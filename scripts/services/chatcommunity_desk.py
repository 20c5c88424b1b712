"""Discord's page beside a local stack: a server in which people type /ask and /close, and read answers and alerts."""

from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import urlencode

from scripts.services import chatcommunity, markup
from scripts.services.chatcommunity import ChatCommunity
from scripts.services.community import MANAGE_THREADS, THREAD, Channel, Response, Server
from scripts.services.desks import Outlet
from scripts.services.server import Asked


class Person(NamedTuple):
    """A member of the server, what they may do there, and the language of their Discord."""

    name: str
    may: int = 0
    locale: str = "en-US"


PEOPLE: Mapping[str, Person] = {
    "200000000000000001": Person("Vera"),
    "200000000000000002": Person("Milo, whose Discord is German", locale="de"),
    "200000000000000003": Person("Mona, a moderator", MANAGE_THREADS),
}
"""The members of the server by their ids. What follows a comma is for who uses the page."""


class ChatCommunityDesk:
    """Discord, with its page."""

    title = "Discord"

    def __init__(self, send: Outlet) -> None:
        self.send = send
        self.service = ChatCommunity()
        acme = self.service.server("Acme", "general", "staff", has_bot=False)
        self.service.role(acme, "Support")

    def credentials(self) -> Mapping[str, str]:
        """Return what `scripts.admin set-app chatcommunity` takes."""
        return chatcommunity.credentials()

    def consent(self, asked: Asked, _root: str) -> list[tuple[str, str]] | None:
        """Return the servers to which the bot can be added."""
        if asked.path != "/oauth2/authorize":
            return None
        links = []
        for each in self.service.servers.values():
            back = {
                "code": self.service.code_for(each),
                "state": asked.query["state"],
                "guild_id": each.id,
                "permissions": asked.query["permissions"],
            }
            links.append((f"Add to {each.name}", f"{asked.query['redirect_uri']}?{urlencode(back)}"))
        return links

    def shown(self) -> Mapping[str, Any]:
        """Return the channels with their messages and threads, and who can type commands."""
        server = self._server
        return {
            "server": server,
            "commands": {each["name"] for each in server.commands} if server.has_bot else set(),
            "channels": [each for each in server.channels.values() if each.type != THREAD],
            "threads": server.channels,
            "people": PEOPLE,
            "typed": {each.message["id"]: each for each in self.service.responses.values()},
            "unseen": lambda channel: _unseen(self.service.responses.values(), channel),
            "written": lambda content: markup.of_discord(content, self._names()),
        }

    def act(self, what: str, given: Mapping[str, str], _files: Mapping[str, bytes]) -> None:
        """Do what a form asks for. Raises KeyError, ValueError."""
        server = self._server
        match what:
            case "ask" | "close":
                self._type(server, what, given)
            case "add-channel":
                self.service.channel(server, _required(given["name"].removeprefix("#")))
            case "remove-bot":
                # Discord reports this to bots with an open socket alone.
                server.has_bot, server.commands = False, []
            case _:
                raise ValueError(what)

    def _type(self, server: Server, command: str, given: Mapping[str, str]) -> None:
        if not server.has_bot:
            raise ValueError(command)
        channel, person = server.channels[given["channel"]], PEOPLE[given["user"]]
        text = _required(given["question"]) if command == "ask" else None
        who = person.name.partition(",")[0]
        typed = self.service.command(
            server, channel, command, text, user=given["user"], who=who, may=person.may, locale=person.locale
        )
        self.send(*typed)

    def _names(self) -> dict[str, str]:
        server = self._server
        return {
            **{f"@{id_}": person.name.partition(",")[0] for id_, person in PEOPLE.items()},
            **{f"@&{role['id']}": role["name"] for role in server.roles},
            **{f"#{each.id}": each.name for each in server.channels.values()},
        }

    @property
    def _server(self) -> Server:
        return next(iter(self.service.servers.values()))


def _required(text: str) -> str:
    if not text.strip():
        raise ValueError(text)
    return text.strip()


def _unseen(responses: Any, channel: Channel) -> list[Response]:
    """Return the responses of a channel that are no messages of it: for one person alone, or not filled in yet."""
    return [
        each
        for each in responses
        if each.channel is channel and (each.ephemeral or each.message not in channel.messages)
    ]
