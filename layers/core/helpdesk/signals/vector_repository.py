"""Vectors of the titles of signals, as items."""

from typing import NamedTuple

from helpdesk.storage import keys, table
from helpdesk.storage.table import ConditionFailed


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
