"""Keys: what is built can be parsed back, nothing else can, and no kind of item spells another's key."""

import re
from types import NoneType
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import fields

from helpdesk.accounts.organizations.record import Slug
from helpdesk.conversations.message_record import Message
from helpdesk.storage.stored import INDEXES, Key, MalformedKey, Stored
from tests.support import kinds
from tests.support.kinds import KINDS, STORED
from tests.support.rules import for_each

parts = st.text(min_size=1, max_size=128).filter(lambda text: "#" not in text)
any_kind = st.sampled_from([kind for _, kind in sorted(KINDS.items())])


def _build(kind: type[Stored], chosen: list[str]) -> Key:
    return kind.key_for(*chosen[: len(kind.key_parts())])


five_parts = st.lists(parts, min_size=5, max_size=5)


@given(any_kind, five_parts)
def test_a_key_is_parsed_back_to_its_parts(kind: type[Stored], chosen: list[str]) -> None:
    key = _build(kind, chosen)

    assert kinds.parsed(kind, key.pk, key.sk) == key


@given(any_kind, five_parts)
def test_no_other_kind_parses_a_kinds_key(kind: type[Stored], chosen: list[str]) -> None:
    key = _build(kind, chosen)

    readers = [name for name, other in KINDS.items() if other.parse(key.pk, key.sk) is not None]

    assert readers == [kind.__name__]


@given(any_kind, st.text(max_size=60), st.text(max_size=60))
def test_a_parsed_key_spells_what_it_was_parsed_from(kind: type[Stored], pk: str, sk: str) -> None:
    found = kinds.parsed(kind, pk, sk)

    assert found is None or (found.pk, found.sk) == (pk, sk)


@for_each("kind", KINDS.values(), ids=list(KINDS))
@for_each("part", ["", "#", "a#b", "x" * 129], ids=["empty", "separator", "inside", "129 long"])
def test_an_invalid_part_is_refused(kind: type[Stored], part: str) -> None:
    count = len(kind.key_parts())
    for position in range(count):
        chosen = ["a", "b", "c", "d", "e"][:count]
        chosen[position] = part
        with pytest.raises(MalformedKey):
            kind.key_for(*chosen)


def test_a_part_of_128_characters_makes_a_key() -> None:
    assert Slug.key_for("x" * 128).pk == "SLUG#" + "x" * 128


@for_each("kind", KINDS.values(), ids=list(KINDS))
def test_the_longest_key_of_a_kind_is_within_dynamodbs_limits(kind: type[Stored]) -> None:
    # 2,048 bytes for a partition key, 1,024 for a sort key; a code point takes up to 4 bytes.
    # The parts of a crawl's address and of a row are our own numbers, those of a trace and of counted signals our own
    # ids, as is who holds a live connection. A pull request has a number after the name of its repository. What
    # services call accounts, channels and threads is ASCII, and the name of a channel has up to 80 characters.
    ours = {
        "Address",
        "BoardTrace",
        "AnalyticsFact",
        "AnalyticsChange",
        "FiledSignals",
        "LiveConnection",
    }
    theirs = {
        "Connection",
        "LinearTeam",
        "DiscordFeed",
        "DiscordAsker",
        "SlackChannel",
        "SlackThread",
        "SlackThreadOwner",
        "SlackReply",
        "SlackClick",
    }
    chosen = [("9" if kind.__name__ in ours or kind.__name__ in theirs else "😀") * 128] * 5
    if kind.__name__ == "LinkedPullRequest":
        chosen[3] = "9" * 20
    if kind.__name__ == "SlackChannel":
        chosen[2] = "😀" * 80
    key = _build(kind, chosen)

    assert len(key.pk.encode()) <= 2_048
    assert len(key.sk.encode()) <= 1_024


def test_text_with_an_overlong_part_parses_to_no_key() -> None:
    assert Slug.parse("SLUG#" + "x" * 129, "SLUG") is None


def test_a_key_whose_halves_name_different_organizations_is_invalid() -> None:
    class Twice(Stored):
        PK, SK = "ORG#{organization}", "OWN#{organization}"
        organization: str

    assert Twice.parse("ORG#one", "OWN#two") is None


def test_every_partition_of_an_organization_begins_with_its_id() -> None:
    without = {
        name
        for name, kind in KINDS.items()
        if "organization" in kind.key_parts() and not kind.PK.startswith("ORG#{organization}#")
    }

    # What an export is to look at is found for all organizations; whose account a service writes of is not known yet.
    assert without == {"AnalyticsChange", "ConnectedAccount"}


def test_attributes_are_the_two_halves() -> None:
    assert Message.key_for("org_1", "conv_2", "msg_3").attributes() == {
        "PK": "ORG#org_1#CONV#conv_2",
        "SK": "MSG#msg_3",
    }


@for_each("kind", STORED, ids=lambda kind: kind.__name__)
def test_a_field_that_may_be_none_can_be_missing(kind: type[Stored]) -> None:
    """None is not stored."""
    required = [each.name for each in fields(kind) if each.required and NoneType in get_args(each.type)]

    assert required == []


@for_each("view", [kind for kind in STORED if kind.VIEW_OF], ids=lambda kind: kind.__name__)
def test_a_view_reads_the_items_of_its_kind(view: type[Stored]) -> None:
    kind = KINDS[view.VIEW_OF or ""]

    assert (view.PK, view.SK) == (kind.PK, kind.SK)


@for_each("kind", STORED, ids=lambda kind: kind.__name__)
def test_an_index_of_a_tenants_items_has_the_tenant_in_its_partition_or_is_sharded(
    kind: type[Stored],
) -> None:
    templates = [template for index in INDEXES if (template := getattr(kind, index)) is not None]
    ours = [each[0] for each in templates if kind.PK.startswith("ORG#")]

    assert [each for each in ours if not re.match(r"ORG#{organization}#|.*{\w*(shard|hour)", each)] == []
