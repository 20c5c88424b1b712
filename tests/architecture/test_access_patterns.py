"""docs/access-patterns.md against the classes of the items."""

import re

from helpdesk.accounts.organizations.record import Organization
from helpdesk.conversations.record import Snooze
from helpdesk.events.outbox import Event
from helpdesk.knowledge.crawls.record import Crawl
from helpdesk.storage import shards
from helpdesk.storage.stored import INDEXES, KEYS_ONLY
from scripts import access_patterns
from scripts.access_patterns import records
from tests.support.template import table_properties

PAGE = access_patterns.PAGE.read_text(encoding="utf-8")


def test_the_page_has_the_keys_and_index_entries_of_every_kind_of_item() -> None:
    assert access_patterns.with_items(PAGE) == PAGE, "run `make openapi`"


def test_the_page_says_of_every_kind_of_item_how_it_is_read() -> None:
    assert re.findall(r"^\| `\w+` \|.*\|  \|$", PAGE, re.MULTILINE) == []


def test_what_the_page_says_of_a_kind_of_item_names_only_indexes_that_have_it() -> None:
    rows = re.findall(r"^\| (`\w+`) \|[^|]*\|[^|]*\|([^|]*)\|(.*)\|$", PAGE, re.MULTILINE)

    assert len(rows) > 100
    assert [
        (kind, said)
        for kind, entries, said in rows
        if not set(re.findall(r"GSI\d", said)) <= set(re.findall(r"GSI\d", entries))
    ] == []


def test_the_table_of_indexes_has_the_partitions_of_every_kind_of_item() -> None:
    indexes = PAGE.partition("\n## Indexes\n")[2]
    entries = {
        (index, template[0])
        for kind in records()
        for index in INDEXES
        if (template := getattr(kind, index)) is not None
    }

    assert {entry for entry in entries if f"| {entry[0]} | `{entry[1]}` |" not in indexes} == set()


def test_the_page_names_the_tables_indexes() -> None:
    indexes = {index["IndexName"] for index in table_properties()["GlobalSecondaryIndexes"]}

    assert set(re.findall(r"^\| (GSI\d) \|", PAGE, re.MULTILINE)) == indexes


def test_the_template_has_keys_only_in_the_index_that_the_code_reads_items_behind() -> None:
    projections = {
        index["IndexName"]: index["Projection"] for index in table_properties()["GlobalSecondaryIndexes"]
    }

    assert projections == {
        index: {"ProjectionType": "KEYS_ONLY" if index in KEYS_ONLY else "ALL"} for index in INDEXES
    }


def test_the_page_spells_the_indexes_partitions_as_the_code_does() -> None:
    assert f"`{Event.partition_for('{organization}', index='GSI1')}`" in PAGE


def test_the_page_spells_the_partitions_that_organizations_share_as_the_code_does() -> None:
    assert f"`{Crawl.GSI1[0]}`" in PAGE
    assert f"`{Snooze.GSI1[0]}`" in PAGE
    assert f"`{Organization.GSI1[0]}`" in PAGE
    assert f"in {shards.SHARDS} shards" in PAGE
