"""Items of erasures, and finding and removing what belongs to a person.

What is counted is removed in the transaction that counts it, so a crash, or two workers at once, count nothing twice
and leave nothing out. What is on its way out has the attribute `erasing`: everyone else takes it for gone.
"""

from collections.abc import Iterator, Sequence

from helpdesk.conversations.index_keys import ERASED, InboxList
from helpdesk.customers.errors import CustomerNotFound
from helpdesk.platform import clock
from helpdesk.privacy.errors import ErasureNotFound
from helpdesk.storage import keys, shards, table
from helpdesk.storage.marks import BEING_ERASED
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction

COUNTED = ("customers", "conversations", "messages", "notes", "ratings", "files", "events", "facts")
_KEPT_OF_A_CUSTOMER = {"PK", "SK", "id", "sessionHash", "outreachId", "updatedAt"}
_TOLD = {"name", "email", "avatarUrl", "metadata", "GSI1PK", "GSI1SK"}
_PAGE = 100


class BeingErased(ConditionFailed):
    """The customer is being erased already; `erasure_id` names by what."""

    @property
    def erasure_id(self) -> str:
        """The erasure that removes them."""
        return str((self.item or {})[BEING_ERASED])


def put(transaction: Transaction, organization: str, erasure_id: str, values: Item) -> None:
    """Add an erasure. The transaction raises ConditionFailed where there is one of this id."""
    transaction.put(
        {
            **keys.Erasure(organization, erasure_id).attributes(),
            "id": erasure_id,
            "requestedAt": clock.now_ms(),
            "finishedAt": None,
            "counts": dict.fromkeys(COUNTED, 0),
            **values,
        },
        new=True,
        on_failure=ConditionFailed,
    )


def find(organization: str, erasure_id: str) -> Item | None:
    """Return an erasure, or None."""
    return table.get(keys.Erasure(organization, erasure_id))


def get(organization: str, erasure_id: str) -> Item:
    """Return an erasure. Raises ErasureNotFound."""
    item = find(organization, erasure_id)
    if item is None:
        raise ErasureNotFound
    return item


def count(transaction: Transaction, organization: str, erasure_id: str, **counted: int) -> None:
    """Add to the counts of an erasure."""
    names = {f"#{kind}": kind for kind in counted}
    transaction.update(
        keys.Erasure(organization, erasure_id),
        "SET " + ", ".join(f"counts.#{kind} = counts.#{kind} + :{kind}" for kind in counted),
        condition="attribute_exists(PK)",
        names=names,
        values={f":{kind}": number for kind, number in counted.items()},
    )


def finish(transaction: Transaction, organization: str, erasure_id: str, *, customers: int = 0) -> None:
    """Note that an erasure is finished, with the last that it removed.

    The transaction raises ConditionFailed where it was finished before.
    """
    transaction.update(
        keys.Erasure(organization, erasure_id),
        "SET finishedAt = :now, counts.customers = counts.customers + :customers REMOVE sessionHash",
        condition="finishedAt = :never",
        values={":now": clock.now_ms(), ":never": None, ":customers": customers},
        on_failure=ConditionFailed,
    )


def customer(organization: str, customer_id: str) -> Item | None:
    """Return a customer's item, also of one who is being erased; None where there is none."""
    return table.get(keys.Customer(organization, customer_id))


def mark_customer(
    transaction: Transaction, organization: str, seen: Item, erasure_id: str, *, unchanged: bool = False
) -> None:
    """Let a customer be as good as gone: out of the list, without what they told; with `unchanged` only as seen.

    The transaction raises CustomerNotFound, BeingErased, or with `unchanged` ConditionFailed.
    """

    def meaning(found: Item | None) -> Exception:
        if found is None:
            return CustomerNotFound()
        return BeingErased(found) if BEING_ERASED in found else ConditionFailed(found)

    names = {f"#{name}": name for name in sorted((seen.keys() | _TOLD) - _KEPT_OF_A_CUSTOMER)}
    as_seen, values = "", {}
    if unchanged:
        values = {":updatedAt": seen["updatedAt"]}
        as_seen = " AND updatedAt = :updatedAt AND attribute_not_exists(outreachId)"
        if "outreachId" in seen:
            values[":outreachId"] = seen["outreachId"]
            as_seen = " AND updatedAt = :updatedAt AND outreachId = :outreachId"
    transaction.update(
        keys.Customer(organization, seen["id"]),
        f"SET {BEING_ERASED} = :erasure REMOVE " + ", ".join(names),
        condition=f"attribute_exists(PK) AND attribute_not_exists({BEING_ERASED})" + as_seen,
        names=names,
        values={":erasure": erasure_id, **values},
        on_failure=meaning,
    )


def session(organization: str, session_hash: str) -> Item | None:
    """Return a session's item, or None."""
    return table.get(keys.Session(organization, session_hash))


def end_session(
    transaction: Transaction, organization: str, customer_id: str, session_hash: str, seen: Item | None = None
) -> None:
    """Remove a customer's session: whoever writes in it from now on is another customer; with `seen` only as seen.

    One that is another customer's by now stays: the transaction raises ConditionFailed.
    """
    values: Item = {":customer": customer_id}
    condition = "attribute_not_exists(PK) OR customerId = :customer"
    if seen is not None:
        condition = "customerId = :customer AND conversationId = :seen"
        values[":seen"] = seen["conversationId"]
    transaction.delete(
        keys.Session(organization, session_hash),
        condition=condition,
        values=values,
        on_failure=ConditionFailed,
    )


def delete_customer(transaction: Transaction, organization: str, customer_id: str, erasure_id: str) -> None:
    """Remove the item of a customer who is being erased. The transaction raises ConditionFailed where it is gone."""
    transaction.delete(
        keys.Customer(organization, customer_id),
        condition=f"{BEING_ERASED} = :erasure",
        values={":erasure": erasure_id},
        on_failure=ConditionFailed,
    )


def conversations_of(organization: str, owner: Item) -> list[Item]:
    """Return a customer's conversations, also those that are being erased, oldest first.

    The session's own list is read as it is at this moment; the index knows those without a session, too.
    """
    found: set[str] = {str(owner["outreachId"])} if owner.get("outreachId") else set()
    if owner.get("sessionHash"):
        partition = keys.Session(organization, owner["sessionHash"]).pk
        found |= {str(item["conversationId"]) for item in table.query_all(partition, sk_prefix="CONV#")}
    found |= {str(item["id"]) for item in indexed_conversations(organization, owner["id"])}
    wanted = [keys.Conversation(organization, each) for each in sorted(found)]
    items = table.get_many(wanted)
    return [items[key] for key in wanted if key in items and items[key]["customerId"] == owner["id"]]


def conversation(organization: str, conversation_id: str) -> Item | None:
    """Return a conversation's item, or None."""
    return table.get(keys.Conversation(organization, conversation_id))


def indexed_conversations(organization: str, customer_id: str, after: Item | None = None) -> Iterator[Item]:
    """Yield a customer's conversations as their index knows them, oldest first, from behind a key of it."""
    partition = keys.customer_conversations(organization, customer_id)
    while True:
        page = table.query(partition, index="GSI2", limit=_PAGE, after=after)
        yield from page.items
        after = page.after
        if after is None:
            return


def quiet_conversations(organization: str, before: int) -> Iterator[Item]:
    """Yield conversations whose last message is older than an instant (ms), those first that are being erased."""
    for name in (ERASED, *(each.value for each in InboxList)):
        after: Item | None = None
        while True:
            page = table.query(
                keys.inbox(organization, name),
                index="GSI1",
                sk_between=("0", f"{before:013d}"),
                limit=_PAGE,
                after=after,
            )
            yield from page.items
            after = page.after
            if after is None:
                break


def mark_conversation(
    organization: str, conversation_id: str, erasure_id: str, before: int | None = None
) -> bool:
    """Let a conversation be as good as gone, if its last message is older than `before` (ms, None: however old).

    Every write to it requires `archivedAt` as it was read, which was never 0: so none comes after this. Return False
    where it is gone or younger.
    """
    removed = {f"#{name}": name for name in ("subject", "page", "context", "assignee", "GSI3PK", "GSI3SK")}
    try:
        table.update(
            keys.Conversation(organization, conversation_id),
            f"SET {BEING_ERASED} = if_not_exists({BEING_ERASED}, :erasure), archivedAt = :zero, GSI1PK = :list REMOVE "
            + ", ".join(removed),
            condition="attribute_exists(PK)" + ("" if before is None else " AND lastMessageAt < :before"),
            names=removed,
            values={
                ":erasure": erasure_id,
                ":zero": 0,
                ":list": keys.inbox(organization, ERASED),
                **({} if before is None else {":before": before}),
            },
        )
    except ConditionFailed:
        return False
    return True


def entries(organization: str, conversation_id: str, limit: int) -> list[Item]:
    """Return the first messages, notes and lines of a thread."""
    partition = keys.Conversation(organization, conversation_id).pk
    return table.query(partition, sk_between=("MSG#", "NOTE#~"), limit=limit, consistent=True).items


def thread_page(organization: str, conversation_id: str, behind: str, limit: int) -> tuple[list[Item], bool]:
    """Return messages and then notes of a thread from behind a sort key, and whether more may follow."""
    partition = keys.Conversation(organization, conversation_id).pk
    page = table.query(
        partition, sk_between=(f"{behind}0" if behind else "MSG#", "NOTE#~"), limit=limit, consistent=True
    )
    return page.items, page.after is not None


def facts(organization: str, customer_id: str, behind: str, limit: int) -> tuple[list[Item], bool]:
    """Return facts about a customer, oldest first, from behind an id, and whether more may follow."""
    page = table.query(
        keys.Customer(organization, customer_id).pk,
        sk_prefix="FACT#",
        limit=limit,
        after=keys.Fact(organization, customer_id, behind).attributes() if behind else None,
        consistent=True,
    )
    return page.items, page.after is not None


def add_deletions(transaction: Transaction, items: Sequence[Item]) -> None:
    """Add the removal of entries or facts that were read. The transaction raises ConditionFailed where one is gone."""
    for item in items:
        for kind in (keys.Message, keys.Note, keys.Fact):
            key = kind.parse(item["PK"], item["SK"])
            if key is not None:
                transaction.delete(key, condition="attribute_exists(PK)", on_failure=ConditionFailed)


def add_rating_deletion(transaction: Transaction, organization: str, rating_id: str) -> None:
    """Add the removal of a rating."""
    transaction.delete(keys.Rating(organization, rating_id))


def delete_events(organization: str, event_ids: Sequence[str], endpoint_ids: Sequence[str]) -> None:
    """Remove events, and what is known of their deliveries to these endpoints."""
    wanted: list[keys.ItemKey] = [keys.Event(organization, each) for each in event_ids]
    wanted += [keys.Delivery(organization, to, each) for each in event_ids for to in endpoint_ids]
    table.delete_many(wanted)


def delete_conversation(transaction: Transaction, organization: str, item: Item) -> None:
    """Remove an emptied conversation and what points to it. The transaction raises ConditionFailed where it is gone."""
    transaction.delete(
        keys.Conversation(organization, item["id"]),
        condition=f"attribute_exists({BEING_ERASED})",
        on_failure=ConditionFailed,
    )
    transaction.delete(keys.Snooze(organization, item["id"]))
    if item.get("sessionHash"):
        transaction.delete(keys.SessionConversation(organization, item["sessionHash"], item["id"]))


def retaining(shard: int) -> Iterator[Item]:
    """Yield the organizations of a shard that keep conversations for a time."""
    after: Item | None = None
    while True:
        page = table.query(shards.retaining(shard), index="GSI1", limit=_PAGE, after=after)
        yield from page.items
        after = page.after
        if after is None:
            return
