"""Reports of commits whose processes die at every step, on the table in memory: each link is made and counted once."""

from collections.abc import Iterator

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.progress import reports
from scripts.seeding.memory_table import MemoryTable, answering
from tests.support import table as whole_table
from tests.support.api import Client
from tests.support.cards import adopt, file, require_agreement
from tests.support.dying import Died, dying
from tests.support.effort import of
from tests.support.signals import events, jobs, work


@pytest.fixture(autouse=True)
def memory(aws: None) -> Iterator[None]:
    """Let the table in memory answer: it is faster than moto."""
    with answering(MemoryTable()):
        yield


def _report(first: int) -> dict[str, object]:
    """Return a report that finishes two cards and links one of them twice."""
    one, two = f"ORG-{first}", f"ORG-{first + 1}"
    messages = [f"fixes {one}", f"{one} and {two}", f"fixes {two}"]
    commits = [{"sha": f"{first:08x}{at:032x}", "message": message} for at, message in enumerate(messages)]
    return {"repo": "acme/shop", "default": True, "commits": commits}


def _prepared(api: Client, first: int) -> None:
    for number in (first, first + 1):
        adopt(api, file(api, f"Signal {number}"))


def _finish(api: Client, known: int) -> None:
    for job in jobs("commits")[known:]:
        work(job)


@pytest.mark.parametrize("request_ms", [0, 60_000])
def test_wherever_request_and_worker_die_each_commit_is_linked_once(
    request_ms: int, api: Client, organization: NewOrganization, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reports, "REQUEST_MS", request_ms)
    _prepared(api, 1)
    with dying(None) as moments:
        api.post("/v1/commits", _report(1))
    in_request = moments.passed
    with dying(None) as moments:
        _finish(api, 0)
    passed = in_request + moments.passed
    assert passed > 15
    first = 3
    for at in range(0, passed, of(3, 1)):
        _prepared(api, first)
        known, before = len(jobs("commits")), len(events())
        try:
            with dying(at):
                api.post("/v1/commits", _report(first))
        except Died:
            assert api.post("/v1/commits", _report(first)).status == 200
        else:
            with pytest.raises(Died), dying(at - in_request):
                _finish(api, known)
        _finish(api, known)
        for number in (first, first + 1):
            card = api.get(f"/v1/tasks/ORG-{number}").body["task"]
            assert (card["status"], card["commits"]) == ("done", 2), (at, number)
        assert [kind for kind, _ in events()[before:]] == ["signal.updated"] * 2
        first += 2
    assert whole_table.of_kind("REPORT") == []
    require_agreement(organization)
