"""The teams of a workspace and their states, which the worker keeps, so that routes answer without asking Linear.

They are listed when a workspace is connected, each night, when a name is not found, and when Linear refuses a state or
an issue is in a team that is not known.
"""

from helpdesk.integrations.accounts import Account
from helpdesk.integrations.linear import api as linear
from helpdesk.integrations.linear import queries, repository
from helpdesk.integrations.linear.errors import MAX_STATE_CHARACTERS, MAX_TEAM_CHARACTERS
from helpdesk.integrations.linear.record import LinearTeam, State, TrackerDirectory
from helpdesk.integrations.listing import Listing
from helpdesk.platform import clock
from helpdesk.platform.text import as_name
from helpdesk.storage import table

LISTING = Listing("tracker_teams", TrackerDirectory.key_for)
MAX_TEAMS = 500


def refresh(account: Account) -> str:
    """List the teams and write what changed; return the outcome. Raises Refused, Revoked, TryLater."""
    connection = account.connection
    listed = _listed(account)
    repository.put_teams(listed, repository.teams_of(connection.organization, connection.account_id))
    table.change(LISTING.key(connection), set={"listed_at": clock.now_ms()}, or_new=True)
    return "listed"


def relist(account: Account) -> None:
    """List the teams at once, unless that was asked for in the last minute. Raises Refused, Revoked, TryLater."""
    if LISTING.claim(account.connection):
        refresh(account)


def _listed(account: Account) -> list[LinearTeam]:
    found: list[LinearTeam] = []
    after: str | None = None
    while len(found) < MAX_TEAMS:
        said = linear.ask(account, queries.TEAMS, {"after": after})["teams"]
        for each in said["nodes"]:
            states = sorted(each["states"]["nodes"], key=lambda state: float(state["position"]))
            found.append(
                LinearTeam(
                    organization=account.connection.organization,
                    account_id=account.connection.account_id,
                    id=each["id"],
                    prefix=each["key"],
                    name=as_name(each["name"], MAX_TEAM_CHARACTERS),
                    states=tuple(
                        State(state["id"], as_name(state["name"], MAX_STATE_CHARACTERS), state["type"])
                        for state in states
                    ),
                )
            )
        after = said["pageInfo"]["endCursor"] if said["pageInfo"]["hasNextPage"] else None
        if after is None:
            break
    return found[:MAX_TEAMS]
