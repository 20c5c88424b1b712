"""Names of members, for those who know only ids."""

from collections.abc import Sequence

from helpdesk.members import repository


def by_ids(organization: str, user_ids: Sequence[str]) -> dict[str, str]:
    """Return the names of those who are members, by id. One call for up to 100."""
    return {user_id: member.name for user_id, member in repository.get_many(organization, user_ids).items()}
