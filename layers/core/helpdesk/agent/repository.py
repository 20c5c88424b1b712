"""The items of the agent's settings, and of auto-resolve's runs."""

from copy import replace

from helpdesk.agent.record import AgentSettings, AutoResolveCheckpoint
from helpdesk.platform import clock
from helpdesk.platform.units import DAY_SECONDS
from helpdesk.storage import table
from helpdesk.storage.collection import Collection
from helpdesk.storage.transactions import Transaction

_CHECKPOINT_KEPT_SECONDS = 7 * DAY_SECONDS

checkpoints = Collection(AutoResolveCheckpoint)


def settings_of(organization: str) -> AgentSettings:
    """Return the settings with the sentences that visitors read, the defaults for what nobody has changed. One call."""
    return Collection(AgentSettings).find(organization) or AgentSettings(organization=organization)


def change(transaction: Transaction, seen: AgentSettings, changed: AgentSettings) -> None:
    """Write what differs, and nothing else: two requests at once can change two settings or sentences."""
    before, after = seen.to_item(), changed.to_item()
    written = [(name, value) for name, value in after.items() if value != before.get(name)]
    removed = [name for name in before if name not in after]
    # Short placeholders: with every sentence in every language an expression stays below its limit of 4 KB.
    clauses = ["SET " + ", ".join(f"#{n} = :{n}" for n in range(len(written)))] if written else []
    clauses += ["REMOVE " + ", ".join(f"#r{n}" for n in range(len(removed)))] if removed else []
    transaction.update(
        seen.key,
        " ".join(clauses),
        names={
            **{f"#{n}": name for n, (name, _) in enumerate(written)},
            **{f"#r{n}": name for n, name in enumerate(removed)},
        },
        values={f":{n}": value for n, (_, value) in enumerate(written)},
    )


def resolving(shard: int, start: str, limit: int) -> list[str]:
    """Return the organizations of a shard that have `nightlySweep` on, from an id ("" for the first). One query."""
    partition = AgentSettings.partition_for(str(shard), index="GSI1")
    page = table.query(partition, index="GSI1", sk_between=(start or "0", "~"), limit=limit)
    return [AgentSettings.from_item(item).organization for item in page.items]


def put(checkpoint: AutoResolveCheckpoint) -> None:
    """Write how far the runs of a night have come."""
    transaction = Transaction()
    transaction.put(replace(checkpoint, expires_at=clock.seconds_from_now(_CHECKPOINT_KEPT_SECONDS)))
    transaction.commit()
