"""The item of the agent's settings. It holds the settings that were changed; the defaults are in code."""

from typing import Any

from helpdesk.agent.schemas import DEFAULTS, AgentSettings
from helpdesk.storage import keys, shards, table
from helpdesk.storage.table import Item
from helpdesk.storage.transactions import Transaction


def get(organization: str) -> AgentSettings:
    """Return the settings, the defaults for what was not changed. One call."""
    item = table.get(keys.AgentSettings(organization)) or {}
    values = DEFAULTS.model_dump(by_alias=True)
    return AgentSettings.model_validate({name: item.get(name, value) for name, value in values.items()})


def change(organization: str, changed: dict[str, Any], log_entry: Item) -> None:
    """Write settings, named as in the API, and their log entry in one transaction."""
    transaction = Transaction()
    placed: Item = {}
    removed = ""
    if changed.get("nightlySweep") is True:
        # The index in which auto-resolve finds the organizations that have it on.
        placed = {
            "GSI1PK": shards.auto_resolve(shards.shard_of(organization)),
            "GSI1SK": organization,
            "organization": organization,
        }
    elif changed.get("nightlySweep") is False:
        removed = " REMOVE GSI1PK, GSI1SK"
    values = changed | placed
    transaction.update(
        keys.AgentSettings(organization),
        "SET " + ", ".join(f"#{name} = :{name}" for name in values) + removed,
        names={f"#{name}": name for name in values},
        values={f":{name}": value for name, value in values.items()},
    )
    transaction.put(log_entry, new=True)
    transaction.commit()
