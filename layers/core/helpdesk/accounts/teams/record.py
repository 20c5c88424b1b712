"""The teams of an organization, all in one item: they are few, and one write keeps their names unique."""

from helpdesk.platform.record import Record, field
from helpdesk.storage.stored import Stored


class Team(Record):
    """A team. `member_ids` can name people who have left since; readers leave them out."""

    name: str
    member_ids: tuple[str, ...] = ()


class Teams(Stored, kw_only=True):
    """An organization's teams by ID, in the order in which they were created. `version` is 0 before the first one."""

    PK, SK = "ORG#{organization}#TEAMS", "TEAMS"

    organization: str
    teams: dict[str, Team] = field(default_factory=dict)
    version: int = 0
