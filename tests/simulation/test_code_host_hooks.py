"""Hundreds of hooks of GitHub that are lost, repeated, late and in any order: after a night both sides agree.

Half of the lost ones did not arrive, and GitHub lists them; the others it never sent.
"""

import random
from collections.abc import Callable, Iterator

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.events.integration_jobs import App
from helpdesk.integrations.record import Connection
from helpdesk.platform.clock import frozen, now_us
from scripts.seeding.memory_table import MemoryTable, answering
from scripts.services import codehost_attempts as attempts
from scripts.services import codehost_hooks as hooks
from scripts.services.codehost import CodeHost, credentials
from scripts.services.repositories import Installation, Repository
from tests.integration.integrations.conftest import _deployment, connect_codehost, github, services
from tests.support.api import Client, function
from tests.support.effort import of
from tests.support.integrations import set_app
from tests.support.issues import acme, deliver, file, repository, signal
from tests.support.workers import LongContext, Workers

__all__ = ["_deployment", "acme", "connect_codehost", "github", "repository", "services"]

HOOKS = of(50, 500)
SIGNALS = 8
CARDS = 40
CLOSED = {"done", "declined"}


@pytest.fixture(autouse=True)
def memory(_deployment: None) -> Iterator[MemoryTable]:
    """Let the table in memory answer: it is faster than moto."""
    with answering(MemoryTable()) as memory_table:
        set_app(App.GITHUB, credentials())
        yield memory_table


class World:
    """An account whose people push and move issues, an organization whose people move signals, and hooks under way."""

    def __init__(
        self,
        seed: int,
        api: Client,
        github: CodeHost,
        acme: Installation,
        connect: Callable[[Installation], Connection],
    ) -> None:
        self.random = random.Random(seed)
        self.connect = connect
        self.api, self.github, self.acme = api, github, acme
        self.docs, self.shop = github.add(acme, "docs"), github.repositories["acme/shop"]
        self.now = now_us()
        self.sent = 0
        self.loses_all = False
        self.fails_again = True
        self.repeated: list[hooks.Sent] = []
        self.finished: list[str] = []
        self.late: list[tuple[int, tuple[dict[str, str], str]]] = []
        self.workers = Workers("search", "knowledge", "mail")
        github.clock = lambda: self.now / 1_000_000
        github.on_repeat = lambda headers, body: self.repeated.append((dict(headers), body))

    def send(self, sent: Callable[[], hooks.Sent], *, is_sent: bool = False) -> None:
        """Let GitHub send a hook where the App is installed: it is lost, or comes up to three times within an hour.

        One that `is_sent` may fail to arrive, and is listed by GitHub then.
        """
        self.sent += 1
        if self.loses_all or self.acme.id not in self.github.installations:
            return
        made, times = sent(), self.random.choice((0, 1, 1, 1, 2, 3))
        if times == 0 and (is_sent or self.random.random() < 0.5):
            attempts.failed(self.github, *made)
        for _ in range(times):
            self.late.append((self.now + self.random.randrange(3_600_000_000), made))

    def act(self) -> None:
        """Let somebody do something at GitHub, or move a signal."""
        what = self.random.random()
        if what < 0.25:
            self.push()
        elif what < 0.35:
            self.finish_card()
        elif what < 0.75:
            self.move_issue()
        elif what < 0.85:
            signal_id = self.random.choice(self.signals)
            status = self.random.choice(("open", "planned", "done", "declined"))
            assert self.api.patch(f"/v1/signals/{signal_id}", {"status": status}).status == 200
        elif what < 0.91:
            self.hide_or_show()
        elif what < 0.94:
            self.rename()
        elif what < 0.97:
            self.uninstall_or_install()
        else:
            self.acme.suspended = not self.acme.suspended
            if self.acme.suspended:
                self.github.tokens.clear()
            action = "suspend" if self.acme.suspended else "unsuspend"
            self.send(lambda: hooks.installation(self.github, self.acme, action))

    def rename(self) -> None:
        """Give a repository another name, maybe one that it had before."""
        repository = self.random.choice((self.docs, self.shop))
        before = repository.full_name
        free = {f"acme/{name}" for name in "abcd"} - set(self.github.repositories)
        was_shown = before in self.acme.repositories
        self.github.rename(before, self.random.choice(sorted(free)))
        if not was_shown:
            self.acme.repositories.discard(repository.full_name)
        self.send(lambda: hooks.renamed(self.github, repository, before.partition("/")[2]))

    def uninstall_or_install(self) -> None:
        """Remove the App from the account, or install it again, which an admin connects."""
        if self.acme.id in self.github.installations:
            gone = self.acme
            self.send(lambda: hooks.installation(self.github, gone, "deleted"))
            del self.github.installations[gone.id]
            self.github.tokens.clear()
        else:
            self.acme = self.github.install("acme")
            self.acme.repositories |= {self.docs.full_name, self.shop.full_name}
            self.connect(self.acme)

    def push(self) -> None:
        before = self.docs.sha()
        path = f"{self.random.choice(('a', 'b', 'c'))}{self.random.randrange(6)}.md"
        known = path in self.docs.branches["main"]
        content = None if known and self.random.random() < 0.4 else f"# {path}\n\n{self.random.random()}"
        self.docs.push({path: content})
        self.send(lambda: hooks.push(self.github, self.docs, before, f"Change {path}"))

    def finish_card(self) -> None:
        """Push a commit that finishes a card. The App may be removed: then GitHub sends nothing."""
        if not self.cards or self.acme.id not in self.github.installations or self.acme.suspended:
            return
        made, key = self.cards.pop()
        self.finished.append(made)
        before = self.shop.sha()
        self.shop.push({"main.py": f"print({self.random.random()})"})
        self.send(lambda: hooks.push(self.github, self.shop, before, f"Fixes {key}"), is_sent=True)

    def move_issue(self) -> None:
        number = self.random.choice(list(self.shop.issues))
        closed = self.shop.issues[number]["state"] == "closed"
        reason = "reopened" if closed else self.random.choice(("completed", "not_planned"))
        change = {"state": "open" if closed else "closed", "state_reason": reason}
        self.shop.change_issue(number, change, self.github.clock())
        action = "reopened" if closed else "closed"
        self.send(lambda: hooks.issue(self.github, self.shop, number, action))

    def hide_or_show(self) -> None:
        """Take the repository of documents from the App, or give it back."""
        name, has = self.docs.full_name, self.docs.full_name in self.acme.repositories
        (self.acme.repositories.discard if has else self.acme.repositories.add)(name)
        changed = {"removed": [name]} if has else {"added": [name]}
        self.send(lambda: hooks.repositories_changed(self.github, self.acme, **changed))

    def pass_time(self, seconds: float) -> None:
        """Let time pass, and what is due arrive in any order."""
        self.now += round(seconds * 1_000_000)
        due = [sent for at, sent in self.late if at <= self.now]
        self.late = [each for each in self.late if each[0] > self.now]
        self.random.shuffle(due)
        for each in due:
            deliver(each)
        function("integration_worker").handler({"run": "hooks"}, LongContext())
        for sent in self.repeated:
            if self.fails_again and self.random.random() < 0.3:
                attempts.failed(self.github, *sent)
            else:
                deliver(sent)
        self.repeated.clear()
        self.workers.run()

    def agreed(self) -> None:
        """Check that documents are a commit's files, each issue is closed as its signal is, and cards are done."""
        [mirror] = self.api.get("/v1/integrations/repos").body["repos"]
        assert (mirror["status"], mirror["commit"]) == ("synced", self.docs.sha()), mirror
        assert mirror["repo"] == self.docs.full_name
        documents = self.api.get("/v1/knowledge/documents?limit=200").body["documents"]
        assert sorted(each["title"] for each in documents) == sorted(self.docs.branches["main"])
        for signal_id in self.signals:
            found = signal(self.api, signal_id)
            issue = self.shop.issues[found["codehost"]["number"]]
            assert (found["status"] in CLOSED) == (issue["state"] == "closed"), (found, issue)
            url = f"https://github.com/{self.shop.full_name}/issues/{issue['number']}"
            assert found["codehost"]["url"] == url
        for made in self.finished:
            assert self.api.get(f"/v1/tasks/{made}").body["task"]["status"] == "done"

    def begin(self) -> None:
        """Mirror a repository, and open an issue for each signal."""
        self.docs.push({"a0.md": "# a0.md\n\nText."})
        self.api.post("/v1/integrations/repos", {"repo": "acme/docs"})
        self.api.post("/v1/integrations/issue-repo", {"repo": "acme/shop", "autoCreate": True})
        self.signals = [file(self.api, f"Signal {number}") for number in range(SIGNALS)]
        made = [self.api.post("/v1/tasks", {"title": f"Card {number}"}).body for number in range(CARDS)]
        self.cards = [(each["id"], each["key"]) for each in made]
        self.workers.run()


@pytest.mark.parametrize("seed", range(of(1, 20)))
def test_after_hooks_that_are_lost_repeated_and_late_the_nightly_look_makes_both_sides_agree(
    seed: int,
    api: Client,
    github: CodeHost,
    acme: Installation,
    repository: Repository,
    organization: NewOrganization,
    connect_codehost: Callable[..., Connection],
) -> None:
    connect_codehost(acme)
    world = World(seed, api, github, acme, connect_codehost)
    with frozen(lambda: world.now):
        world.begin()
        world.agreed()
        while world.sent < HOOKS:
            for _ in range(world.random.randrange(1, 25)):
                world.act()
                world.now += world.random.randrange(1, 60_000_000)
            world.pass_time(world.random.randrange(1, 600))
        if world.acme.id not in github.installations:
            world.uninstall_or_install()
        world.acme.suspended = False
        world.acme.repositories |= {world.docs.full_name, world.shop.full_name}
        world.fails_again = False
        for hours in (1.1, 3, 6, 12, 24):  # what is late has come, and what failed was asked for
            world.pass_time(hours * 3_600)
        world.loses_all = True
        for _ in range(4):
            world.push()
            world.move_issue()
        world.pass_time(40_000)
        function("integration_worker").handler({"run": "connections"}, LongContext())
        for _ in range(4):  # what follows a name that was found in the night, and what met another worker
            world.pass_time(60)
        world.agreed()
        found = api.get("/v1/integrations").body["integrations"]
        assert "connected" in [each["status"] for each in found if each["app"] == "codehost"]
