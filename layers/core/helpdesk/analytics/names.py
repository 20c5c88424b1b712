"""Names of what ids in rows lead to: a person reads them as the labels of series. One batch read, at most, or none."""

from collections.abc import Callable, Sequence

from helpdesk.analytics import repository
from helpdesk.analytics.datasets import DatasetField
from helpdesk.analytics.query_schemas import Series
from helpdesk.analytics.rows import CONVERSATIONS, CUSTOMERS
from helpdesk.knowledge import folder_names
from helpdesk.members import names as member_names
from helpdesk.tools import endpoint_names

_NAMES: dict[str, Callable[[str, Sequence[str]], dict[str, str]]] = {
    "assignee": member_names.by_ids,
    "customer": lambda organization, ids: repository.titles(organization, CUSTOMERS, ids),
    "conversation": lambda organization, ids: repository.titles(organization, CONVERSATIONS, ids),
    "folder": folder_names.by_ids,
    "endpoint": endpoint_names.by_ids,
}
"""For each field of the type id, the function from ids to names. What is gone, or has no name, is missing."""


def named(organization: str, field: DatasetField, series: Sequence[Series]) -> list[Series]:
    """Return series that are grouped by a field with names as their labels; those without a name stay as they are."""
    find = _NAMES.get(field.id)
    ids = [each.key for each in series if each.label == each.key]
    if find is None or not ids:
        return list(series)
    names = find(organization, ids)
    return [each.model_copy(update={"label": names.get(each.key) or each.label}) for each in series]
