"""Exports rows to S3 as Parquet, for Athena or any engine that reads it: one file for a partition.

A partition is an organization, a dataset and a month. One that changed is read whole and replaces its file in one step,
so that what an erasure removed is in no file after the next night. A partition without rows has no file.
"""

from collections.abc import Iterator
from typing import NamedTuple

from helpdesk.analytics import changed_repository, export_store, repository
from helpdesk.analytics.evaluation import Found
from helpdesk.analytics.reading import usage_of
from helpdesk.analytics.rows import USAGE
from helpdesk.platform import clock
from helpdesk.platform.logging import logger
from helpdesk.platform.units import HOUR_MS
from helpdesk.storage import keys


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
        changed_repository.remove(change)
    return Exported(len(written), failed)


def export_partition(organization: str, dataset: str, month: str) -> None:
    """Write the file of a partition, and the file of the usage that its rows show."""
    _write(dataset, keys.AnalyticsFact(organization, dataset, month, "-", "-"), dataset)
    if usage_of(dataset) is not None:
        _write(USAGE, keys.AnalyticsFact(organization, dataset, month, "-", "-"), dataset)


def _write(shown: str, partition: keys.AnalyticsFact, source: str) -> None:
    from helpdesk.analytics import parquet  # noqa: PLC0415 - the one function that carries its library

    content = parquet.written(shown, _pages(shown, partition, source))
    export_store.replace(shown, partition.organization, partition.month, source, content)


def _pages(shown: str, partition: keys.AnalyticsFact, source: str) -> Iterator[list[Found]]:
    usage = usage_of(source) if shown == USAGE else None
    for page in repository.pages(partition.organization, source, partition.month):
        if usage is None:
            yield page
        else:
            yield [Found(fact.id, fact.values) for row in page for fact in usage(row.values, row.id)]
