"""The rules of exploring datasets: what is read for a request, and what is returned of it."""

from collections.abc import Sequence

from helpdesk.analytics import aggregation, names, reading
from helpdesk.analytics.datasets import DATASETS, FieldType, label_of
from helpdesk.analytics.query import Plan, listing, of_rows, plan
from helpdesk.analytics.query_schemas import (
    DatasetsAnswer,
    DatasetShape,
    Explored,
    ExploreInput,
    FieldShape,
    Records,
)
from helpdesk.analytics.reading import Reading
from helpdesk.analytics.windows import ALL_TIME, Window
from helpdesk.platform import clock


def datasets() -> DatasetsAnswer:
    """Return every dataset with its fields."""
    return DatasetsAnswer(
        datasets=[
            DatasetShape(
                id=dataset.id,
                label=label_of(dataset.id),
                fields=[
                    FieldShape.from_record(
                        field,
                        values=list(field.values) if field.type is FieldType.ENUM else None,
                    )
                    for field in dataset.fields
                ],
            )
            for dataset in DATASETS.values()
        ]
    )


def explore(organization: str, body: ExploreInput) -> Explored:
    """Return the series of a query. Raises InvalidRequest and InvalidQuery."""
    [found] = explore_all(organization, [body])
    return found


def explore_all(organization: str, bodies: Sequence[ExploreInput]) -> list[Explored]:
    """Return the series of several queries, and read the rows that some of them share once."""
    now = clock.now_ms()
    reader = _Reader(organization)
    return [_explored(organization, reader, plan(body, now), now) for body in bodies]


def _explored(organization: str, reader: "_Reader", made: Plan, now: int) -> Explored:
    present = reader.read(made, made.window)
    rows = aggregation.matching(made, present.rows, made.window)
    scanned, capped, previous = len(present.rows), present.capped, None
    if made.previous is not None:
        before = reader.read(made, made.previous)
        previous = aggregation.matching(made, before.rows, made.previous)
        scanned, capped = scanned + len(before.rows), capped or before.capped
    series, earlier = aggregation.explore(made, rows, previous, now)
    if made.group is not None:
        series = names.named(organization, made.group, series)
        labels = {each.key: each.label for each in series}
        earlier = earlier and [each.model_copy(update={"label": labels[each.key]}) for each in earlier]
    return Explored(
        ok=True,
        unit=made.measured.unit,
        series=series,
        previous=earlier,
        matched=len(rows),
        scanned=scanned,
        capped=capped,
    )


def records(organization: str, body: ExploreInput) -> Records:
    """Return the rows behind a query. Raises InvalidRequest and InvalidQuery."""
    made = plan(of_rows(body), clock.now_ms())
    wanted = listing(body, made.dataset)
    read = _Reader(organization).read(made, made.window)
    rows = aggregation.matching(made, read.rows, made.window)
    return Records(
        ok=True,
        fields=list(wanted.names),
        rows=aggregation.listed(made, wanted, rows),
        matched=len(rows),
        scanned=len(read.rows),
        capped=read.capped,
    )


class _Reader:
    """Reads the rows of an organization's windows, those of the same dataset and window once."""

    def __init__(self, organization: str) -> None:
        self._organization = organization
        self._read: dict[tuple[str, Window, bool], Reading] = {}

    def read(self, made: Plan, window: Window) -> Reading:
        by_default_time = made.time_place == 0 and window != ALL_TIME
        wanted = made.dataset.id, window, by_default_time
        if wanted not in self._read:
            self._read[wanted] = reading.read(
                self._organization, made.dataset.id, window, by_default_time=by_default_time
            )
        return self._read[wanted]
