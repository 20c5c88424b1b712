"""An answer that joins several reads: a change between two of them never shows what is new with the state before it.

A reader may get what was read at any moment, but who sees a message, a report or a commit sees what it changed, too.
"""

from collections.abc import Callable
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.conversations.messages import service as messages
from helpdesk.conversations.messages import sessions
from tests.support.api import Client
from tests.support.between import READS, before_call
from tests.support.cards import adopt, file
from tests.support.signals import conversation, filed

type Read = Callable[[], Any]
type Change = Callable[[], object]
type Split = Callable[[Any], tuple[Any, Any]]
"""Returns the state of an answer, and what shows that the state has changed."""


class World:
    """One of what a route shows, and a change of it."""

    def __init__(self, api: Client, organization: str) -> None:
        self.api, self.organization, self.number = api, organization, 0

    def _waiting(self) -> tuple[str, str]:
        """Return a session and its conversation, in which a teammate has answered last."""
        self.number += 1
        session = f"session-number-{self.number}"
        opened = conversation(self.api, session)
        reply = {"body": "One moment.", "takeOver": True}
        assert self.api.post(f"/v1/conversations/{opened}/reply", reply).status == 200
        return session, opened

    def _get(self, url: str) -> Read:
        return lambda: self.api.get(url).body

    def history(self) -> tuple[Read, Change]:
        """A visitor's history, and their next message."""
        session, _ = self._waiting()
        return self._get(f"/v1/messages?session={session}"), lambda: conversation(self.api, session, "Hello?")

    def news(self) -> tuple[Read, Change]:
        """What is new for a visitor, and their next message."""
        session, opened = self._waiting()
        seen = self.api.get(f"/v1/conversations/{opened}").body["messages"][0]["id"]
        url = f"/v1/messages?session={session}&after={seen}"
        return self._get(url), lambda: conversation(self.api, session, "Hello?")

    def page(self) -> tuple[Read, Change]:
        """A visitor's conversation on the help site, and their next message."""
        session, opened = self._waiting()

        def read() -> Any:
            own = messages.conversation_of(self.organization, sessions.hashed(session), opened)
            now, entries = messages.with_messages(own)
            return {"awaitingHuman": now.state.awaiting_human, "messages": [each.body for each in entries]}

        return read, lambda: conversation(self.api, session, "Hello?")

    def thread(self) -> tuple[Read, Change]:
        """A conversation in the inbox, and its visitor's next message."""
        session, opened = self._waiting()
        return self._get(f"/v1/conversations/{opened}"), lambda: conversation(self.api, session, "Hello?")

    def resolved(self) -> tuple[Read, Change]:
        """A conversation in the inbox, and its end."""
        _, opened = self._waiting()
        resolve = f"/v1/conversations/{opened}/resolve"
        return self._get(f"/v1/conversations/{opened}"), lambda: self.api.post(resolve)

    def export(self) -> tuple[Read, Change]:
        """All data of a customer, and the end of their conversation."""
        _, opened = self._waiting()
        customer = self.api.get(f"/v1/conversations/{opened}").body["conversation"]["customer"]["id"]
        resolve = f"/v1/conversations/{opened}/resolve"
        return self._get(f"/v1/customers/{customer}/export"), lambda: self.api.post(resolve)

    def report(self) -> tuple[Read, Change]:
        """A signal, and a report of it."""
        self.number += 1
        signal = f"/v1/signals/{filed(self.api, f'Signal {self.number}')}"
        return self._get(signal), lambda: self.api.post(f"{signal}/reports", {"who": "Ada"})

    def commit(self) -> tuple[Read, Change]:
        """A signal, and a commit that finishes it."""
        self.number += 1
        signal = f"/v1/signals/{filed(self.api, f'Signal {self.number}')}"
        commit = {"sha": "9fceb02", "message": "Fix", "url": "https://git.example.com/1", "author": "Ada"}
        added = self.api.post(f"{signal}/commits", commit).body["id"]
        return self._get(signal), lambda: self.api.post(f"{signal}/commits/{added}/apply")

    def card(self) -> tuple[Read, Change]:
        """A card, and a commit that finishes it."""
        self.number += 1
        task = adopt(self.api, file(self.api, f"Signal {self.number}"))
        card = self.api.get(f"/v1/tasks/{task}").body["task"]
        commits = [{"sha": "9fceb02", "message": f"Fixes {card['key']}"}]
        report = {"repo": "acme/shop", "default": True, "commits": commits}
        return self._get(f"/v1/tasks/{card['key']}"), lambda: self.api.post("/v1/commits", report)

    def folder(self) -> tuple[Read, Change]:
        """Folders, and another name and place of one of them."""
        folders = "/v1/knowledge/folders"
        ids = [self.api.post(folders, {"name": name}).body["id"] for name in ("A", "B")]

        def read() -> Any:
            listed = self.api.get(folders).body["folders"]
            return next(each for each in listed if each["id"] == ids[1])

        return read, lambda: self.api.patch(f"{folders}/{ids[1]}", {"name": "Moved", "parentId": ids[0]})


def _of_conversation(found: Any) -> tuple[Any, Any]:
    shown = found["conversation"]
    return (shown["status"], shown["awaitingHuman"]), [each["body"] for each in found["messages"]]


def _of_history(found: Any) -> tuple[Any, Any]:
    [shown] = found["conversations"]
    return shown["awaitingHuman"], [each["body"] for each in shown["messages"]]


CASES: list[tuple[Callable[[World], tuple[Read, Change]], Split]] = [
    (World.history, _of_history),
    (World.news, _of_history),
    (World.page, lambda found: (found["awaitingHuman"], found["messages"])),
    (World.thread, _of_conversation),
    (World.resolved, _of_conversation),
    (
        World.export,
        lambda found: (
            found["conversations"][0]["conversation"]["status"],
            [each["body"] for each in found["conversations"][0]["messages"]],
        ),
    ),
    (
        World.report,
        lambda found: (found["signal"]["reporterCount"], [each["who"] for each in found["reporters"]]),
    ),
    (World.commit, lambda found: (found["signal"]["status"], [each["applied"] for each in found["commits"]])),
    (World.card, lambda found: (found["task"]["status"], [each["sha"] for each in found["commits"]])),
    (World.folder, lambda found: (found["parentId"] is not None, found["name"])),
]


@pytest.mark.parametrize(("prepared", "split"), CASES, ids=[each.__name__ for each, _ in CASES])
def test_a_change_between_two_reads_of_a_route_never_shows_what_is_new_with_the_state_before_it(
    api: Client,
    organization: NewOrganization,
    prepared: Callable[[World], tuple[Read, Change]],
    split: Split,
) -> None:
    world = World(api, organization.organization_id)
    read, change = prepared(world)
    with before_call(READS, None, lambda: None) as reads:
        state, content = split(read())
    change()
    new_state, new_content = split(read())
    assert (state != new_state, content != new_content) == (True, True)

    for number in range(1, len(reads)):
        read, change = prepared(world)
        with before_call(READS, number, change):
            assert split(read()) in [(state, content), (new_state, new_content), (new_state, content)], number
