"""What lists of posts cost does not depend on how many posts there are."""

from benchmarks.board_work import posts
from benchmarks.capacity import metered
from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.platform import clock
from helpdesk.storage.table import to_wire
from scripts.seeding.memory_table import MemoryTable, answering
from tests.support.api import Client
from tests.support.table import everything

LISTS = ("", "?sort=votes", "?state=public", "?boardId=ideas&sort=votes", "?statusId=open", "?sort=trending")
SMALL, LARGE = 450, 1_800


def costs(number: int, api: Client, home: str) -> dict[str, tuple[list[str], float]]:
    """Return the calls and read units of each list among so many posts."""
    memory = MemoryTable()
    memory.load(to_wire(item) for item in everything())
    memory.load(to_wire(item) for item in posts(home, number, clock.now_ms()))
    found = {}
    with answering(memory):
        for parameters in LISTS:
            with metered() as used:
                assert len(api.get(f"/v1/board/posts{parameters}").body["posts"]) == 50
            found[parameters] = (used.calls, used.read_units)
    return found


def test_a_list_costs_the_same_calls_and_units_among_four_times_as_many_posts(
    api: Client, organization: NewOrganization
) -> None:
    api.get("/v1/board")
    small = costs(SMALL, api, organization.organization_id)
    large = costs(LARGE, api, organization.organization_id)
    assert small == large
    assert [len(calls) for calls, _ in small.values()] == [4, 4, 3, 3, 4, 6]
