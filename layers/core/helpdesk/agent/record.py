"""The agent's settings, and how far auto-resolve has come, as they are stored."""

from collections.abc import Mapping
from typing import Self

from helpdesk.platform.record import field
from helpdesk.storage import shards
from helpdesk.storage.stored import Stored
from helpdesk.storage.table import Item
from helpdesk.visitor_texts.languages import DEFAULT_LANGUAGE, Language, known
from helpdesk.visitor_texts.texts import VisitorTexts, attribute, every_key


class AgentSettings(Stored, kw_only=True):
    """The agent's settings; absent until someone edits them.

    The item holds what was changed, and the defaults are here. `own_texts` are the organization's sentences by their
    attributes: each has one of its own, so that two requests at once can change two of them.
    """

    PK, SK = "ORG#{organization}#AGENT", "AGENT"
    GSI1 = "AUTORESOLVE#{shard}", "{organization}"

    organization: str
    name: str = "Assistant"
    personality: str = ""
    auto_resolve: bool = False
    learn_from_threads: bool = True
    suggest_knowledge: bool = True
    nightly_sweep: bool = False
    file_signals: bool = True
    require_email: bool = False
    message_preview: bool = True
    language: Language = DEFAULT_LANGUAGE
    own_texts: Mapping[str, str] = field(default_factory=dict)

    @property
    def shard(self) -> int | None:
        """The shard of the index in which auto-resolve finds the organizations that have it on."""
        return shards.shard_of(self.organization) if self.nightly_sweep else None

    @property
    def texts(self) -> VisitorTexts:
        """The sentences that visitors read."""
        own = {key: text for key in every_key() if (text := self.own_texts.get(attribute(key)))}
        return VisitorTexts(self.language, own)

    def to_item(self) -> Item:
        """Return the item."""
        item = super().to_item()
        own: Item = item.pop("ownTexts")
        return item | own

    @classmethod
    def from_item(cls, item: Item) -> Self:
        """Read an item. A sentence or a language that this version does not know is skipped."""
        attributes = {attribute(key) for key in every_key()}
        own = {name: text for name, text in item.items() if name in attributes and isinstance(text, str)}
        language = known(item.get("language")) or DEFAULT_LANGUAGE
        return super().from_item({**item, "language": language, "ownTexts": own})


class AutoResolveCheckpoint(Stored, kw_only=True):
    """How far the runs of one night have come, by its date in UTC.

    `shards_done` shards are complete. In the next one the runs have come to `organization`, and in its list of open
    conversations to `index_key`.
    """

    PK, SK = "AUTORESOLVE#{date}", "CHECKPOINT"
    date: str
    shards_done: int = field(name="shards", default=0)
    organization: str = ""
    index_key: str = ""
    expires_at: int | None = None

    @property
    def night_is_done(self) -> bool:
        """Whether nothing is left."""
        return self.shards_done >= shards.SHARDS
