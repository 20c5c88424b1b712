"""The item of the feedback board's settings, with the numbers of posts."""

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress

from helpdesk.board.record import Post
from helpdesk.board.settings import BoardSettings, settings_of, tally
from helpdesk.storage import table
from helpdesk.storage.stored import plain
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction


class StaleSettings(ConditionFailed):
    """The settings have changed since they were read, or another post has the number."""

    def settings(self, organization: str) -> BoardSettings:
        """Return the settings as they are now."""
        return settings_of(organization, self.item)


def get(organization: str) -> BoardSettings:
    """Return the settings and counts. One read."""
    return settings_of(organization, table.get(BoardSettings.key_for(organization)))


def save(
    transaction: Transaction,
    organization: str,
    seen: BoardSettings,
    changed: BoardSettings,
    unused: Sequence[str],
    dropped: Sequence[str],
) -> None:
    """Write the settings over those that were read, and remove the counts in `unused`, which were 0, and in `dropped`.

    The transaction raises StaleSettings, where unused counts are removed also after any change of the counts: an
    expression that names each of them would exceed DynamoDB's 4 KB.
    """
    counts = {f"#c{at}": name for at, name in enumerate([*unused, *dropped])}
    lists = {name: plain(getattr(changed, name)) for name in ("boards", "statuses", "tags")}
    values: Item = {":next": seen.version + 1, **{f":{name}": value for name, value in lists.items()}}
    conditions = [_of_version(seen, values)]
    if unused:
        conditions.append("#counted = :counted" if seen.counted else "attribute_not_exists(#counted)")
        values |= {":counted": seen.counted} if seen.counted else {}
    transaction.update(
        BoardSettings.key_for(organization),
        "SET #version = :next, "
        + ", ".join(f"#{name} = :{name}" for name in lists)
        + (f" REMOVE {', '.join(counts)}" if counts else ""),
        condition=" AND ".join(conditions),
        names={
            "#version": "version",
            **{f"#{name}": name for name in lists},
            **counts,
            **({"#counted": "counted"} if unused else {}),
        },
        values=values,
        on_failure=StaleSettings,
    )


def count(
    transaction: Transaction,
    organization: str,
    changes: Mapping[str, int],
    *,
    seen: BoardSettings | None = None,
    numbered: bool = False,
) -> None:
    """Add to the counts of posts. With `seen` the transaction raises StaleSettings unless the settings are the same.

    Deleted tags are not counted any more: posts may have them until they have followed the settings. With `numbered`
    the last number counts up, on the condition that it is the one that was read.
    """
    counts = {
        f"#c{at}": (name, number)
        for at, (name, number) in enumerate(changes.items())
        if number and (seen is None or not seen.is_of_deleted_tag(name))
    }
    if not counts and not numbered and seen is None:
        return
    values: Item = {f":c{name[2:]}": number for name, (_, number) in counts.items()}
    names = {name: attribute for name, (attribute, _) in counts.items()}
    conditions = []
    if seen is not None:
        names["#version"] = "version"
        conditions.append(_of_version(seen, values))
    if numbered and seen is not None:
        values[":next"] = seen.last_number + 1
        values[":last"] = seen.last_number
        unset = "" if seen.last_number else " OR attribute_not_exists(lastNumber)"
        conditions.append(f"(lastNumber = :last{unset})")
    expression = "SET lastNumber = :next " if numbered else ""
    if counts:
        expression += "ADD counted :one, " + ", ".join(f"{name} :c{name[2:]}" for name in counts)
        values[":one"] = 1
    if not expression:
        transaction.require(
            BoardSettings.key_for(organization),
            conditions[0],
            names=names,
            values=values,
            on_failure=StaleSettings,
        )
        return
    transaction.update(
        BoardSettings.key_for(organization),
        expression,
        condition=" AND ".join(conditions) or None,
        names=names or None,
        values=values,
        on_failure=StaleSettings,
    )


def forget_deleted_tags(organization: str) -> None:
    """Remove counts of tags that are deleted, which posts that were deleted meanwhile leave. One read, or two calls."""
    settings = get(organization)
    gone = [name for name in settings.counts if settings.is_of_deleted_tag(name)]
    if not gone:
        return
    names = {f"#c{at}": name for at, name in enumerate(gone)}
    values: Item = {}
    condition = _of_version(settings, values)
    with suppress(ConditionFailed):  # another change of the settings has its own job
        table.update(
            BoardSettings.key_for(organization),
            f"REMOVE {', '.join(names)}",
            condition=condition,
            names={**names, "#version": "version"},
            values=values,
        )


def _of_version(seen: BoardSettings, values: Item) -> str:
    if not seen.version:
        return "attribute_not_exists(#version)"
    values[":version"] = seen.version
    return "#version = :version"


def changes(before: Post | None, after: Post | None) -> dict[str, int]:
    """Return what a change of a post adds to the counts; None is a post that is not there."""
    total = Counter[str]()
    if after is not None:
        total.update(tally(after))
    if before is not None:
        total.subtract(tally(before))
    return {name: number for name, number in total.items() if number}
