"""The item of an uploaded file."""

from typing import Self

from helpdesk.platform.record import Record
from helpdesk.storage.table import Item


class File(Record):
    """An uploaded file.

    `size` is in bytes. Until `received` it is the size that the client announced, and nobody has read the content.
    `runs_in_browser` says that the file is HTML, XHTML, SVG or XSLT by its type or content, so that it is never
    attached and only ever downloaded.
    `charset` is the one that the client declared for text, None if it declared none.
    `removing` means that the file is being removed: no message can attach it. `response_hash` names the stored response
    to the upload's Idempotency-Key, which is removed with the file.
    """

    organization: str
    id: str
    name: str
    type: str
    size: int
    url: str
    received: bool
    runs_in_browser: bool
    removing: bool = False
    response_hash: str | None = None
    charset: str | None = None

    @property
    def token(self) -> str:
        """The last part of the URL, which is as hard to guess as a key."""
        return self.url.rpartition("/")[2]

    @classmethod
    def from_item(cls, item: Item) -> Self:
        """Read a file's item."""
        return cls(
            organization=item["organization"],
            id=item["id"],
            name=item["name"],
            type=item["type"],
            size=int(item["size"]),
            url=item["url"],
            received=item["received"],
            runs_in_browser=item["runs"],
            removing=item["removing"],
            response_hash=item.get("responseHash"),
            charset=item.get("charset"),
        )

    def to_item(self) -> Item:
        """Return the attributes of the file's item, without its keys."""
        item: Item = {
            "organization": self.organization,
            "id": self.id,
            "name": self.name,
            "type": self.type,
            "size": self.size,
            "url": self.url,
            "received": self.received,
            "runs": self.runs_in_browser,
            "removing": self.removing,
        }
        if self.response_hash is not None:
            item["responseHash"] = self.response_hash
        if self.charset is not None:
            item["charset"] = self.charset
        return item
