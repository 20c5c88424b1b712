"""What reading the feedback board costs with 100 posts and with 100,000; writes benchmarks/backlog.md.

python -m benchmarks.backlog                  100 and 100,000 posts: some minutes; the second part of `make scale`
python -m benchmarks.backlog --sizes 100,500  others; printed, not written
"""

import argparse
import dataclasses
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from copy import replace
from dataclasses import dataclass, field
from typing import Any

from benchmarks import board_work
from benchmarks.capacity import metered
from benchmarks.populated import NOW_MS, Clock
from benchmarks.recording import emulated_aws, new_organization
from benchmarks.report import ROOT, circumstances, table
from helpdesk.board.record import Post
from helpdesk.board.settings import BoardSettings
from helpdesk.platform import clock
from helpdesk.platform.settings import settings
from helpdesk.search import indexing
from helpdesk.search.jobs import SearchJob
from helpdesk.storage.table import Item, to_wire
from scripts.seeding.memory_table import MemoryTable, answering
from tests.support.api import Client

SIZES = (100, 100_000)
RESULTS = ROOT / "benchmarks" / "backlog.md"

_INDEXED_AT_ONCE = 1_000
_RARE = 50
"""One post of so many has the tag and the status `planned`."""

_LISTS = (
    *("", "sort=votes", "sort=trending"),
    *("boardId=ideas", "state=public", "boardId=ideas&state=public&sort=votes", "isSpam=true"),
    *("statusId=open", "statusId=planned", "statusId=done", "tagId={tag}", "tagId={tag}&sort=trending"),
    *("q=orders", "q=orders&statusId=planned", "q=0000042", "q=nowhere", "session=a-visitor-who-votes"),
)


@dataclass(slots=True)
class Measured:
    """What was measured at one size: calls, and read units, by request; those to S3 apart."""

    posts: int
    items: int
    seconds: float
    costs: dict[str, tuple[int, int, float]] = field(default_factory=dict)


def measured(posts: int) -> Measured:
    """Measure at one size, in this process."""
    started = time.monotonic()
    now, memory = Clock(), MemoryTable()
    with emulated_aws(), clock.frozen(now), answering(memory):
        settings.cache_clear()
        created = new_organization()
        organization, api = created.organization_id, Client(created.secret_key)
        api.post("/v1/messages", {"session": "a-visitor-who-votes", "body": "Hello"})
        tag = api.patch("/v1/board", {"tags": [{"name": "Export"}]}).body["tags"][0]["id"]
        memory.load(to_wire(item) for item in _posts(memory, organization, posts, tag))
        _index(organization, memory)
        result = Measured(posts, len(memory), 0)
        for shown, url in _requests(api, tag):
            now.us += 60_000_000
            with metered() as used:
                answer = api.get(url)
            if answer.status >= 400:
                raise RuntimeError(f"{url}: {answer}")
            others = sum(call in {"GetObject", "HeadObject"} for call in used.calls)
            result.costs[f"GET {shown}"] = (len(used.calls) - others, others, used.read_units)
    result.seconds = time.monotonic() - started
    return result


def _posts(memory: MemoryTable, organization: str, number: int, tag: str) -> Iterator[Item]:
    """Yield the items of posts, some of which have the tag and another status."""
    board = BoardSettings.key_for(organization)
    for at, item in enumerate(board_work.posts(organization, number, NOW_MS)):
        if item["SK"] == "POST" and at // 3 % _RARE == 0:
            post = replace(Post.from_item(item), tag_ids=(tag,), status_id="planned")
            yield post.to_item()
        elif (item["PK"], item["SK"]) != (board.pk, board.sk):  # the settings are there
            yield item
    found = memory.find((board.pk, board.sk)) or {}
    memory.put((board.pk, board.sk), {**found, "lastNumber": {"N": str(number)}})


def _index(organization: str, memory: MemoryTable) -> None:
    """Make the posts searchable, as an emptied search queue does."""
    jobs = [
        SearchJob(organization, post_id=item["id"]["S"])
        for item in memory.items()
        if item["SK"]["S"] == "POST"
    ]
    for start in range(0, len(jobs), _INDEXED_AT_ONCE):
        indexing.index(organization, jobs[start : start + _INDEXED_AT_ONCE])


def _requests(api: Client, tag: str) -> Iterator[tuple[str, str]]:
    route = "/v1/board/posts"
    newest = api.get(f"{route}?limit=1").body["posts"][0]
    api.get(f"{route}?q=orders&limit=1")  # the function has a copy of the index from here on
    yield "/v1/board", "/v1/board"
    for values in _LISTS:
        question = "?" if values else ""
        yield f"{route}{question}{values}", f"{route}{question}{values.replace('{tag}', tag)}"
    for sort in ("newest", "votes", "trending"):
        cursor = api.get(f"{route}?sort={sort}").body["nextCursor"]
        yield f"{route}?sort={sort}, a second page", f"{route}?sort={sort}&cursor={cursor}"
    yield f"{route}/<post_id>", f"{route}/{newest['id']}"
    yield f"{route}/<number>", f"{route}/{newest['number']}"
    yield f"{route}/<post_id>/comments", f"{route}/{newest['id']}/comments"


def run_apart(posts: int) -> Measured:
    """Measure in a process of its own, because moto hooks itself into a process permanently."""
    command = [sys.executable, "-m", "benchmarks.backlog", "--json", str(posts)]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    read: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return Measured(**read)


def report(found: Sequence[Measured]) -> str:
    """Return backlog.md."""
    sizes = [f"{each.posts:,} posts" for each in found]
    made = ", ".join(f"{each.posts:,} posts in {each.seconds:.0f} s ({each.items:,} items)" for each in found)
    rows = [(shown, *(_cell(each.costs[shown]) for each in found)) for shown in found[-1].costs]
    parts = [
        "# What the feedback board costs, with 100 posts and with 100,000",
        "Written by `make scale`; not by hand.",
        _INTRODUCTION,
        circumstances(),
        f"Made, indexed and measured: {made}.",
        table(("Request", *sizes), rows),
    ]
    return "\n\n".join(parts) + "\n"


def _cell(cost: tuple[int, int, float]) -> str:
    calls, others, units = cost
    return f"{calls}{f'+{others}' if others else ''} · {units:g}"


_INTRODUCTION = f"""One board with so many posts, half of them pending; one of {_RARE} has a tag and another status.
Each request is made once, warm, by a secret key, admission included, with the usual page of 50. The table is in
memory, and units are computed, as in [scale.md](scale.md). A cell has calls to DynamoDB, those to S3 behind a plus,
and units read. A list that selects few posts reads up to four times a page from each list, so it may end early and
has a cursor. What is trending compares the 200 newest and the 200 most voted posts of each board and state: 100 posts
are fewer. Where a page is full with many posts, it may be short with 100."""


def main() -> int:
    """Measure and write."""
    parser = argparse.ArgumentParser(prog="benchmarks.backlog")
    parser.add_argument("--sizes", help="numbers of posts, with commas between")
    parser.add_argument("--json", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.json:
        print(json.dumps(dataclasses.asdict(measured(options.json))))
        return 0
    sizes = [int(size) for size in options.sizes.split(",")] if options.sizes else SIZES
    text = report([run_apart(size) for size in sizes])
    if options.sizes:
        print(text)
    else:
        RESULTS.write_text(text, encoding="utf-8")
        print(f"Written: {RESULTS.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
