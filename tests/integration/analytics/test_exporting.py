"""The nightly export: Parquet files that another engine reads, equal to the records, without what was erased."""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import pytest

from helpdesk.analytics import changed_repository, exporting
from helpdesk.analytics.columns import columns, snake_case
from helpdesk.analytics.datasets import DATASETS
from helpdesk.platform import clients, clock
from helpdesk.platform.settings import settings
from scripts import resources
from scripts.export_analytics import mark_everything
from tests.integration.analytics.conftest import Desk
from tests.support.api import Context, function
from tests.support.table import everything
from tests.support.workers import LongContext

BUCKET = "analytics"
DAY = 86_400_000


@pytest.fixture
def exporting_on(monkeypatch: pytest.MonkeyPatch) -> None:
    facts = function("facts")
    handler = facts.handler

    def with_the_export(event: Any, context: Any) -> Any:
        """Run with the variable, which the template sets for this function alone."""
        with monkeypatch.context() as patch:
            patch.setenv("ANALYTICS_EXPORT", "on")
            settings.cache_clear()
            answer = handler(event, context)
        settings.cache_clear()
        return answer

    monkeypatch.setattr(facts, "handler", with_the_export)
    monkeypatch.setenv("ANALYTICS_BUCKET", BUCKET)
    settings.cache_clear()
    changed_repository._noted.clear()
    clients.s3().create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": "eu-west-1"})


@pytest.fixture
def tomorrow(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Run the export as it runs a number of days from now."""
    now = clock.now_ms

    def run(days: int = 1, context: Any = None) -> None:
        with monkeypatch.context() as patch:
            patch.setattr(clock, "now_ms", lambda: now() + days * DAY)
            try:
                function("analytics_exporter").handler({}, context or LongContext(900_000))
            finally:
                changed_repository._noted.clear()  # they are of a day that is over

    return run  # type: ignore[return-value]


def files() -> dict[str, bytes]:
    """Return the exported files by their keys."""
    found = clients.s3().list_objects_v2(Bucket=BUCKET).get("Contents", [])
    keys = [each["Key"] for each in found]
    return {key: clients.s3().get_object(Bucket=BUCKET, Key=key)["Body"].read() for key in keys}


def marks() -> list[str]:
    """Return the marks that are left."""
    return [item["SK"] for item in everything() if item["PK"].startswith("ANALYTICSCHANGES#")]


@contextmanager
def engine(folder: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Let another engine read the files as Athena would: partitions from the paths."""
    shutil.rmtree(folder / "facts", ignore_errors=True)
    for key, content in files().items():
        path = folder / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        for table in (folder / "facts").iterdir():
            connection.execute(
                f"CREATE VIEW {table.name} AS SELECT * FROM read_parquet('{table}/*/*/*.parquet', "
                "hive_partitioning = true, hive_types = {'organization': VARCHAR, 'month': VARCHAR})"
            )
        yield connection


def _plain(value: Any) -> Any:
    return round(value.timestamp() * 1_000) if isinstance(value, datetime) else value


def _busy(desk: Desk) -> None:
    for visitor in ("ada", "bob"):
        conversation = desk.write(visitor, "How are webhooks signed?", user={"name": visitor.title()})[
            "conversationId"
        ]
        desk.answer()
        desk.api.post(f"/v1/conversations/{conversation}/resolve")
        rating = {"session": f"session-of-{visitor}", "conversationId": conversation, "stars": 4}
        desk.api.post("/v1/messages/rating", rating)
    desk.api.post("/v1/signals", {"kind": "bug", "title": "The door is stuck"})
    desk.api.post("/v1/tasks", {"title": "Oil the door"})
    desk.api.post("/v1/knowledge/documents", {"title": "Doors", "body": "Push."})
    desk.workers.run()
    desk.stream.deliver()


@pytest.mark.usefixtures("exporting_on")
def test_another_engine_reads_the_rows_that_records_show(desk: Desk, tomorrow: Any, tmp_path: Path) -> None:
    _busy(desk)
    tomorrow(0)
    assert files() == {}  # the day is not over
    tomorrow()

    assert marks() == []
    month = f"{datetime.fromtimestamp(clock.now_ms() / 1_000, UTC):%Y-%m}"
    assert f"facts/ratings/organization={desk.organization}/month={month}/ratings.parquet" in files()
    filled = 0
    with engine(tmp_path) as athena:
        for dataset in DATASETS:
            rows = desk.rows(dataset)
            if not rows:
                continue
            filled += 1
            fields = [field.id for field in DATASETS[dataset].fields]
            named = ", ".join(f'"{snake_case(field)}"' for field in fields)
            found = athena.execute(f"SELECT id, organization, {named} FROM {snake_case(dataset)}").fetchall()
            assert sorted([_plain(value) for value in row] for row in found) == sorted(
                [row["id"], desk.organization, *(row[field] for field in fields)] for row in rows
            )
        assert filled >= 9
        stars = athena.execute("SELECT avg(stars) FROM ratings WHERE month >= '2020-01'").fetchall()
    assert stars == [(4,)]


@pytest.mark.usefixtures("exporting_on")
def test_only_partitions_that_changed_are_written_and_an_erasure_rewrites_or_removes_them(
    desk: Desk, tomorrow: Any, tmp_path: Path
) -> None:
    _busy(desk)
    tomorrow()
    before = files()
    ada, bob = (row["customer"] for row in desk.rows("conversations"))
    with_ratings = [key for key in before if "/ratings/" in key]

    desk.api.delete(f"/v1/customers/{ada}")
    desk.workers.run()
    desk.stream.deliver()
    tomorrow()

    after = files()
    changed = {key.split("/")[1] for key in before if before[key] != after.get(key)}
    assert changed >= {"conversations", "messages", "ratings", "customers"}
    assert changed.isdisjoint({"signals", "tasks", "knowledge_docs"})
    with engine(tmp_path) as athena:
        for table in ("conversations", "messages", "ratings"):
            assert athena.execute(f"SELECT DISTINCT customer FROM {table}").fetchall() == [(bob,)]
        assert athena.execute("SELECT id FROM customers").fetchall() == [(bob,)]

    desk.api.delete(f"/v1/customers/{bob}")
    desk.workers.run()
    desk.stream.deliver()
    tomorrow()
    assert not set(with_ratings) & files().keys()


@pytest.mark.usefixtures("exporting_on")
def test_a_partition_that_fails_or_has_no_time_is_exported_by_the_next_run(
    desk: Desk, tomorrow: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    _busy(desk)
    due = marks()
    tomorrow(context=Context())  # no time for anything
    assert (marks(), files()) == (due, {})
    with monkeypatch.context() as patch:
        export = exporting.export_partition

        def fail(organization: str, dataset: str, month: str) -> None:
            if dataset == "ratings":
                raise OSError
            export(organization, dataset, month)

        patch.setattr(exporting, "export_partition", fail)
        with pytest.raises(Exception, match="1"):
            tomorrow()
    assert [mark.split("#")[2] for mark in marks()] == ["ratings"]
    assert "signals" in {key.split("/")[1] for key in files()}
    tomorrow()
    assert marks() == []


def test_without_the_export_nothing_is_noted(desk: Desk, tomorrow: Any) -> None:
    _busy(desk)
    tomorrow()
    assert marks() == []


@pytest.mark.usefixtures("exporting_on")
def test_the_operator_has_everything_exported_that_was_there_before(desk: Desk, tomorrow: Any) -> None:
    _busy(desk)
    tomorrow()
    before = files()
    for key in before:
        clients.s3().delete_object(Bucket=BUCKET, Key=key)

    marked = mark_everything()
    assert marked["partitions"] == len(marks())
    tomorrow(0)

    assert files().keys() == before.keys()


def test_the_data_catalog_has_the_columns_of_the_files() -> None:
    written = json.loads(resources.RESOURCES.read_text(encoding="utf-8"))
    for dataset in DATASETS:
        table = written[f"Analytics{dataset[0].upper()}{dataset[1:]}Table"]["Properties"]["TableInput"]
        assert table["Name"] == snake_case(dataset)
        found = [(each["Name"], each["Type"]) for each in table["StorageDescriptor"]["Columns"]]
        assert found == [(each.name, each.type.value) for each in columns(dataset)]
        key = exporting.key_of(dataset, "org_1", "2026-11", dataset)
        template = table["Parameters"]["storage.location.template"]["Fn::Sub"]
        filled = template.replace("${!organization}", "org_1").replace("${!month}", "2026-11")
        assert filled == f"s3://${{AnalyticsBucket}}/{key.rpartition('/')[0]}"
