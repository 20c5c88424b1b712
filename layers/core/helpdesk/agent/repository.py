"""The item of the agent's settings. It holds what someone has edited; the defaults are in code."""

from typing import Any

from helpdesk.agent.schemas import DEFAULTS, AgentSettings
from helpdesk.storage import keys, table
from helpdesk.storage.table import Item
from helpdesk.storage.transactions import Transaction


def get(organization: str) -> AgentSettings:
    """Return the settings, the defaults where nothing was edited. One call."""
    item = table.get(keys.AgentSettings(organization)) or {}
    values = DEFAULTS.model_dump(by_alias=True)
    return AgentSettings.model_validate({name: item.get(name, value) for name, value in values.items()})


def change(organization: str, changed: dict[str, Any], log_entry: Item) -> None:
    """Write settings, named as in the API, and the log entry that tells of them, as one."""
    transaction = Transaction()
    transaction.update(
        keys.AgentSettings(organization),
        "SET " + ", ".join(f"#{name} = :{name}" for name in changed),
        names={f"#{name}": name for name in changed},
        values={f":{name}": value for name, value in changed.items()},
    )
    transaction.put(log_entry, new=True)
    transaction.commit()
