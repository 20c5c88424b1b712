"""The item of an uploaded file, and the file as a message shows it."""

from helpdesk.platform import clock
from helpdesk.platform.record import Record
from helpdesk.platform.units import HOUR_MS
from helpdesk.storage.stored import Stored, field


class AttachedFile(Record):
    """A file as a message shows it; `size` in bytes."""

    name: str
    size: int
    type: str
    url: str


class File(Stored, kw_only=True):
    """An uploaded file.

    `size` is in bytes. Until `received` it is the size that the client announced, and nobody has read the content.
    `runs_in_browser` says that the file is HTML, XHTML, SVG or XSLT by its type or content, so that it is never
    attached and only ever downloaded.
    `charset` is the one that the client declared for text, None if it declared none.
    `removing` means that the file is being removed: no message can attach it. `response_hash` names the stored response
    to the upload's Idempotency-Key, which is removed with the file. `attached_to` is the last message that attached it,
    and `uses` counts the messages that do. Files that none has attached are in an index by the hour of their creation.
    """

    PK, SK = "ORG#{organization}#FILE#{id}", "FILE"
    GSI1 = "UNATTACHED#{unattached_since_hour}", "{id}"
    organization: str
    id: str
    name: str
    type: str
    size: int
    url: str
    received: bool
    runs_in_browser: bool = field(name="runs")
    removing: bool = False
    response_hash: str | None = None
    charset: str | None = None
    created_at: int = field(default_factory=clock.now_ms)
    attached_to: str | None = None
    uses: int = 0

    @property
    def unattached_since_hour(self) -> int | None:
        """The hour (since 1970) of its creation while no message has attached it."""
        return None if self.attached_to else self.created_at // HOUR_MS

    @property
    def token(self) -> str:
        """The last part of the URL, which is as hard to guess as a key."""
        return self.url.rpartition("/")[2]
