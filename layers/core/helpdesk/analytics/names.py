"""Names of what ids in rows lead to: a person reads them as the labels of series. One batch read, at most, or none."""

from collections.abc import Callable, Sequence

from helpdesk.accounts.members import membership
from helpdesk.accounts.teams import service as teams
from helpdesk.analytics import repository
from helpdesk.analytics.datasets import DatasetField
from helpdesk.analytics.query_schemas import Series
from helpdesk.analytics.rows import CONVERSATIONS, CUSTOMERS
from helpdesk.knowledge import folder_service as folders
from helpdesk.tools.record import tool_endpoints


def _urls_of_endpoints(organization: str, endpoint_ids: Sequence[str]) -> dict[str, str]:
    found = tool_endpoints.by_ids(organization, ids=endpoint_ids, consistent=False)
    return {endpoint.id: endpoint.url for endpoint in found.values()}


_NAMES: dict[str, Callable[[str, Sequence[str]], dict[str, str]]] = {
    "assignee": membership.names_of,
    "team": teams.names_of,
    "customer": lambda organization, ids: repository.titles(organization, CUSTOMERS, ids),
    "conversation": lambda organization, ids: repository.titles(organization, CONVERSATIONS, ids),
    "folder": folders.names_by_ids,
    "endpoint": _urls_of_endpoints,
}
"""For each field with ids, the function from ids to names. What is gone, or has no name, is missing."""


def named(organization: str, field: DatasetField, series: Sequence[Series]) -> list[Series]:
    """Return series that are grouped by a field with names as their labels; those without a name stay as they are."""
    find = _NAMES.get(field.id)
    ids = [each.key for each in series if each.label == each.key]
    if find is None or not ids:
        return list(series)
    names = find(organization, ids)
    return [each.model_copy(update={"label": names.get(each.key) or each.label}) for each in series]
