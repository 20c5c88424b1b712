"""Exports rows to S3 as Parquet, for Athena or any engine that reads it: one file for a partition.

A partition is an organization, a dataset and a month. One that changed is read whole and replaces its file in one step,
so that what an erasure removed is in no file after the next night. A partition without rows has no file.
"""

from collections.abc import Iterable
from typing import NamedTuple

from helpdesk.analytics import changed_repository, repository
from helpdesk.analytics.aggregation import Found
from helpdesk.analytics.columns import snake_case
from helpdesk.analytics.reading import usage_of
from helpdesk.analytics.rows import USAGE
from helpdesk.platform import clients, clock
from helpdesk.platform.logging import logger
from helpdesk.platform.settings import settings
from helpdesk.platform.units import HOUR_MS
from helpdesk.storage import table

ROOT = "facts"
_TYPE = "application/vnd.apache.parquet"


class Exported(NamedTuple):
    """How many partitions were written, and how many failed."""

    partitions: int
    failed: int


def export(until: int) -> Exported:
    """Export the partitions that changed on days that are over, until the instant `until` (ms).

    A partition that fails, or for which there is no time, keeps its mark for the next run.
    """
    written: set[tuple[str, str, str]] = set()
    failed = 0
    for change in changed_repository.complete(clock.now_ms() // HOUR_MS, until):
        place = (change.organization, change.dataset, change.month)
        if clock.now_ms() >= until:
            break
        if place not in written:
            try:
                export_partition(*place)
            except Exception as error:  # noqa: BLE001 - a partition must not hold up the others
                names = dict(zip(("organization", "dataset", "month"), place, strict=True))
                logger.error("partition_failed", extra={**names, "error": type(error).__name__})
                failed += 1
                continue
            written.add(place)
        table.delete(change.key)
    return Exported(len(written), failed)


def export_partition(organization: str, dataset: str, month: str) -> None:
    """Write the file of a partition, and the file of the usage that its rows show."""
    _write(
        key_of(dataset, organization, month, dataset), dataset, repository.pages(organization, dataset, month)
    )
    usage = usage_of(dataset)
    if usage is not None:
        shown = (
            [Found(fact.id, fact.values) for row in page for fact in usage(row.values, row.id)]
            for page in repository.pages(organization, dataset, month)
        )
        _write(key_of(USAGE, organization, month, dataset), USAGE, shown)


def key_of(dataset: str, organization: str, month: str, source: str) -> str:
    """Return the key of a file, as Hive and Athena read it.

    `source` is the dataset whose rows are in it, or show the usage in it.
    """
    folder = f"{ROOT}/{snake_case(dataset)}/organization={organization}/month={month}"
    return f"{folder}/{snake_case(source)}.parquet"


def _write(key: str, dataset: str, pages: Iterable[list[Found]]) -> None:
    from helpdesk.analytics import parquet  # noqa: PLC0415 - the one function that carries its library

    bucket, content = settings().analytics_bucket, parquet.written(dataset, pages)
    if content is None:
        clients.s3().delete_object(Bucket=bucket, Key=key)
    else:
        clients.s3().put_object(Bucket=bucket, Key=key, Body=content, ContentType=_TYPE)
