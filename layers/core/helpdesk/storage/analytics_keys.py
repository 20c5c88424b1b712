"""Keys of the rows that analytics reads. Others import them from `keys`."""

from helpdesk.storage.item_key import ItemKey


class AnalyticsFact(ItemKey):
    """A row of a dataset, in the month (UTC, `2026-11`) of its id's time; `at` is that time, in ms with 13 digits."""

    PK, SK = "ORG#{organization}#ANALYTICS#{dataset}#{month}", "{at}#{fact_id}"
    organization: str
    dataset: str
    month: str
    at: str
    fact_id: str


class AnalyticsMonths(ItemKey):
    """The months in which a dataset has rows, each an attribute of that name."""

    PK, SK = "ORG#{organization}#ANALYTICS", "{dataset}"
    organization: str
    dataset: str


class AnalyticsChange(ItemKey):
    """A mark that rows of a partition were written on a day, for the export; expires by itself."""

    PK, SK = "ANALYTICSCHANGES#{shard}", "{day}#{organization}#{dataset}#{month}"
    shard: str
    day: str
    organization: str
    dataset: str
    month: str
