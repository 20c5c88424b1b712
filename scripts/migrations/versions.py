"""The migrations, in order. Add the next one at the end; never change or remove one that was released."""

import contextlib

from helpdesk.accounts.oauth.record import Grant
from helpdesk.accounts.organizations.record import Organization
from helpdesk.accounts.quotas import service as quotas
from helpdesk.agent.record import AutoResolveCheckpoint
from helpdesk.events.outbox import job_item
from helpdesk.knowledge import publishing
from helpdesk.knowledge.documents import Document
from helpdesk.storage import table
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction
from scripts.migrations.runner import Migration
from scripts.reindex import reindex

_NIGHT_PREFIX = "NIGHT#"


def _move_night_checkpoints(item: Item) -> bool:
    """Copy a checkpoint of the nightly run to its new key, then delete the old one.

    Under the old key the run would not find it, and would begin again with the first organization. A checkpoint that is
    there already was written by the new version and is newer.
    """
    if not item["PK"].startswith(_NIGHT_PREFIX):
        return False
    key = AutoResolveCheckpoint.key_for(item["PK"].removeprefix(_NIGHT_PREFIX))
    moved = {name: value for name, value in item.items() if name != "place"} | {"indexKey": item["place"]}
    with contextlib.suppress(ConditionFailed):
        table.put_new({**moved, **key.attributes()})
    table.delete_read(item)
    return True


def _index_again(item: Item) -> bool:
    """Queue the index jobs of an organization's inbox, and of each knowledge document.

    The indexes in S3 have a new layout under a new prefix (docs/decisions/0101), so the old ones are not found.
    Jobs that are queued twice are done once.
    """
    organization = Organization.parse(item["PK"], item["SK"])
    if organization is not None:
        return any(reindex(organization["id"]).values())
    if Document.parse(item["PK"], item["SK"]) is None:
        return False
    document = Document.from_item(item)
    transaction = Transaction()
    transaction.put(job_item(document.organization, document.index_job()), new=True)
    transaction.commit()
    return True


def _describe_document(item: Item) -> bool:
    """Give a knowledge document its version, source and place among the documents without a folder, and count it.

    One transaction does both on the condition that the document has no version, so it is counted once. A document that
    was changed since by the new version has one, and is counted.
    """
    if Document.parse(item["PK"], item["SK"]) is None or "version" in item:
        return False
    document = Document.from_item(item)
    described = {name: value for name, value in document.to_item().items() if name not in item}
    transaction = Transaction()
    transaction.update(
        document.key,
        "SET " + ", ".join(f"#{name} = :{name}" for name in described),
        condition="attribute_exists(PK) AND attribute_not_exists(version)",
        names={f"#{name}": name for name in described},
        values={f":{name}": value for name, value in described.items()},
        on_failure=ConditionFailed,
    )
    quotas.count_existing(transaction, document.organization, size=document.size)
    transaction.commit()
    return True


def _index_document_again(item: Item) -> bool:
    """Queue the index job of a knowledge document. The index has a new layout, with vectors, under a new prefix.

    A document that the new index has already is left alone.
    """
    if Document.parse(item["PK"], item["SK"]) is None:
        return False
    document = Document.from_item(item)
    transaction = Transaction()
    transaction.put(job_item(document.organization, document.index_job()), new=True)
    transaction.commit()
    return True


def _give_document_an_address(item: Item) -> bool:
    """Give a knowledge document from before the help site its slug and its page; it stays internal.

    On the condition that it has none and is as it was read, so a change at the same time gives it one address.
    """
    if Document.parse(item["PK"], item["SK"]) is None or item.get("slug") is not None:
        return False
    publishing.give_address(Document.from_item(item))
    return True


def _list_grant(item: Item) -> bool:
    """List a grant under its person and its organization. A refresh since has listed it already."""
    if Grant.parse(item["PK"], item["SK"]) is None or "GSI1PK" in item:
        return False
    grant = Grant.from_item(item)
    with contextlib.suppress(ConditionFailed):
        table.change(
            grant.key,
            set=grant.index_entry("GSI1") | grant.index_entry("GSI2"),
            require={"GSI1PK": None, "organization": grant.organization},
        )
    return True


MIGRATIONS = (
    Migration(1, "Move the nightly run's checkpoints to their new key", _move_night_checkpoints),
    Migration(2, "Index knowledge documents and the inbox again, in the new layout", _index_again),
    Migration(3, "Describe knowledge documents by version and source, and count them", _describe_document),
    Migration(4, "Index knowledge documents again, with vectors", _index_document_again),
    Migration(5, "Give knowledge documents their addresses on the help site", _give_document_an_address),
    Migration(6, "List the grants of programs under their people and organizations", _list_grant),
)
