"""The rules of exploring datasets: what is read for a request, and what is returned of it."""

from helpdesk.analytics import evaluation, names, reading
from helpdesk.analytics.datasets import DATASETS, FieldType, label_of
from helpdesk.analytics.evaluation import Found
from helpdesk.analytics.query import Plan, listing, plan
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
                    FieldShape(
                        id=field.id,
                        label=field.label,
                        type=field.type,
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
    now = clock.now_ms()
    made = plan(body, now)
    present, rows = _matching(organization, made, made.window)
    scanned, capped, previous = len(present.rows), present.capped, None
    if made.previous is not None:
        before, previous = _matching(organization, made, made.previous)
        scanned, capped = scanned + len(before.rows), capped or before.capped
    series, earlier = evaluation.explore(made, rows, previous, now)
    if made.group is not None and made.group.type is FieldType.ID:
        series = names.named(organization, made.group, series)
        labels = {each.key: each.label for each in series}
        earlier = earlier and [each.model_copy(update={"label": labels[each.key]}) for each in earlier]
    return Explored(
        ok=True, series=series, previous=earlier, matched=len(rows), scanned=scanned, capped=capped
    )


def records(organization: str, body: ExploreInput) -> Records:
    """Return the rows behind a query. Raises InvalidRequest and InvalidQuery."""
    made = plan(body, clock.now_ms())
    wanted = listing(body, made.dataset)
    read, rows = _matching(organization, made, made.window)
    return Records(
        ok=True,
        fields=list(wanted.names),
        rows=evaluation.listed(made, wanted, rows),
        matched=len(rows),
        scanned=len(read.rows),
        capped=read.capped,
    )


def _matching(organization: str, made: Plan, window: Window) -> tuple[Reading, list[Found]]:
    by_default_time = made.time_place == 0 and window != ALL_TIME
    read = reading.read(organization, made.dataset.id, window, by_default_time=by_default_time)
    return read, evaluation.matching(made, read.rows, window)
