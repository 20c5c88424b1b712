"""The item of the agent's settings. It holds the settings and sentences that were changed; the defaults are in code."""

from collections.abc import Mapping
from typing import Any

from helpdesk.agent.schemas import DEFAULTS, AgentSettings
from helpdesk.storage import keys, shards, table
from helpdesk.storage.table import Item
from helpdesk.storage.transactions import Transaction
from helpdesk.visitor_texts.languages import DEFAULT_LANGUAGE, known
from helpdesk.visitor_texts.texts import TextKey, VisitorTexts, attribute


def get(organization: str) -> AgentSettings:
    """Return the settings, the defaults for what was not changed. One call."""
    return _settings(_item(organization))


def get_with_texts(organization: str) -> tuple[AgentSettings, VisitorTexts]:
    """Return the settings, and the sentences that visitors read. One call."""
    item = _item(organization)
    return _settings(item), VisitorTexts.from_item(item)


def get_texts(organization: str) -> VisitorTexts:
    """Return the sentences that visitors read. One call."""
    return VisitorTexts.from_item(_item(organization))


def change(
    organization: str, changed: dict[str, Any], texts: Mapping[TextKey, str | None], log_entry: Item
) -> None:
    """Write settings, named as in the API, sentences and their log entry in one transaction.

    Each sentence has an attribute of its own, so that two requests at once can change two of them. None removes it.
    """
    transaction = Transaction()
    placed: Item = {}
    removed = [attribute(key) for key, text in texts.items() if text is None]
    if changed.get("nightlySweep") is True:
        # The index in which auto-resolve finds the organizations that have it on.
        placed = {
            "GSI1PK": shards.auto_resolve(shards.shard_of(organization)),
            "GSI1SK": organization,
            "organization": organization,
        }
    elif changed.get("nightlySweep") is False:
        removed += ["GSI1PK", "GSI1SK"]
    written = {attribute(key): text for key, text in texts.items() if text is not None}
    values = list((changed | placed | written).items())
    # Short placeholders: with every sentence in every language an expression stays below its limit of 4 KB.
    clauses = ["SET " + ", ".join(f"#{n} = :{n}" for n in range(len(values)))] if values else []
    clauses += ["REMOVE " + ", ".join(f"#r{n}" for n in range(len(removed)))] if removed else []
    transaction.update(
        keys.AgentSettings(organization),
        " ".join(clauses),
        names={
            **{f"#{n}": name for n, (name, _) in enumerate(values)},
            **{f"#r{n}": name for n, name in enumerate(removed)},
        },
        values={f":{n}": value for n, (_, value) in enumerate(values)},
    )
    transaction.put(log_entry, new=True)
    transaction.commit()


def _item(organization: str) -> Item:
    return table.get(keys.AgentSettings(organization)) or {}


def _settings(item: Item) -> AgentSettings:
    values = DEFAULTS.model_dump(by_alias=True)
    stored = {name: item.get(name, value) for name, value in values.items()}
    # A language that this version does not know reads as the default.
    language = known(stored["language"]) or DEFAULT_LANGUAGE
    return AgentSettings.model_validate({**stored, "language": language})
