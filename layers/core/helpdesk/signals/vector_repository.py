"""Vectors of the titles of signals, as items."""

from typing import NamedTuple

from helpdesk.storage import keys, table
from helpdesk.storage.table import ConditionFailed, Item


class TitleVector(NamedTuple):
    """The vector of a signal's title, a signed byte for each dimension; `kind` is the embedder's."""

    signal_id: str
    kind: str
    vector: bytes


def vectors(organization: str, kind: str, limit: int) -> list[TitleVector]:
    """Return the vectors of the newest signals' titles that an embedder of one kind made. One query, 1 MB at most."""
    partition = keys.SignalVector(organization, "-").pk
    page = table.query(partition, sk_prefix="VECTOR#", limit=limit, newest_first=True)
    found = [TitleVector(item["signalId"], item["kind"], item["vector"]) for item in page.items]
    return [each for each in found if each.kind == kind]


def kinds(organization: str, limit: int) -> dict[str, str]:
    """Return which embedders made the newest signals' vectors, by the signals' ids. One query for each 1 MB."""
    partition = keys.SignalVector(organization, "-").pk
    found: dict[str, str] = {}
    after: Item | None = None
    while len(found) < limit:
        page = table.query(
            partition,
            sk_prefix="VECTOR#",
            limit=limit - len(found),
            newest_first=True,
            after=after,
            only=("SK", "signalId", "kind"),
        )
        found |= {item["signalId"]: item["kind"] for item in page.items}
        after = page.after
        if after is None:
            break
    return found


def put_vector(organization: str, vector: TitleVector, *, version: int) -> bool:
    """Write the vector of a title as a version of the signal has it; return False if there is a later one."""
    try:
        table.update(
            keys.SignalVector(organization, vector.signal_id),
            "SET signalId = :signal, #kind = :kind, vector = :vector, #version = :version",
            condition="attribute_not_exists(PK) OR #version <= :version",
            names={"#kind": "kind", "#version": "version"},
            values={
                ":signal": vector.signal_id,
                ":kind": vector.kind,
                ":vector": vector.vector,
                ":version": version,
            },
        )
    except ConditionFailed:
        return False
    return True
