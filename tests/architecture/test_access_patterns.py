"""docs/access-patterns.md against the keys that the code spells."""

import re

from helpdesk.storage import keys, shards
from tests.support.kinds import KINDS
from tests.support.template import ROOT, table_properties

PAGE = (ROOT / "docs" / "access-patterns.md").read_text()
ROW = re.compile(r"^\| `(\w+)` \| `([^`]+)` \| `([^`]+)` \|", re.MULTILINE)


def test_the_page_describes_every_kind_of_item_by_its_key_and_no_other() -> None:
    described = {name: (pk, sk) for name, pk, sk in ROW.findall(PAGE)}

    assert described == {name: (kind.PK, kind.SK) for name, kind in KINDS.items()}


def test_no_kind_is_described_twice() -> None:
    names = [name for name, _, _ in ROW.findall(PAGE)]

    assert sorted(names) == sorted(set(names))


def test_the_page_names_the_tables_indexes() -> None:
    indexes = {index["IndexName"] for index in table_properties()["GlobalSecondaryIndexes"]}

    assert set(re.findall(r"^\| (GSI\d) \|", PAGE, re.MULTILINE)) == indexes


def test_the_page_spells_the_indexes_partitions_as_the_code_does() -> None:
    assert f"`{keys.inbox('{organization}', '{inbox_list}')}`" in PAGE
    assigned = keys.assigned_conversations("{organization}", "{user_id}", "{assigned_list}")
    assert f"`{assigned}`" in PAGE
    assert f"`{keys.customer_conversations('{organization}', '{customer_id}')}`" in PAGE
    assert f"`{keys.event_feed('{organization}')}`" in PAGE


def test_the_page_spells_the_partitions_that_organizations_share_as_the_code_does() -> None:
    for partition, shard in (
        (shards.new_outbox_items, 7),
        (shards.auto_resolve, 7),
        (shards.retaining, 7),
        (shards.snoozes, 7),
        (shards.due_crawls, 7),
    ):
        assert f"`{partition(shard).replace('7', '{shard}')}`" in PAGE
    assert f"in {shards.SHARDS} shards" in PAGE
