"""The manifest of an index in S3: the files that the index consists of, and the objects that hold them.

An index is a directory that the search library writes. Its files are immutable and have unique names, apart from a few
small ones that hold state (`STATE_FILES`). The manifest carries the text of those and the names of all others.
Nothing here reads or changes what the files say.
"""

import json
from typing import Any, Self

from helpdesk.platform import clock
from helpdesk.platform.record import Record, field
from helpdesk.platform.units import HOUR_MS

OWNERS_NOTE = "note"
"""A small text that the owner of an index may keep with it."""

STATE_FILES = ("meta.json", ".managed.json", OWNERS_NOTE)
"""Files that are rewritten under the same name: the first two by the search library."""

GRACE_MS = HOUR_MS
"""Time for which an object stays in S3 after it is superseded.

Four times as long as a Lambda function may run, so that no reader still works from a manifest that names the object.
"""


class Bundle(Record):
    """One S3 object that holds index files, one after the other; `files` has their names and sizes in that order."""

    key: str
    files: tuple[tuple[str, int], ...]

    @property
    def names(self) -> frozenset[str]:
        """The names of its files."""
        return frozenset(name for name, _ in self.files)


class Manifest(Record):
    """One committed version of an index.

    `number` counts the versions, `etag` is the manifest's own in S3; both are empty before the first commit. `state`
    has the text of the library's state files and `live` the names of all other files. `bundles` are the objects with at
    least one live file. `superseded` maps the keys of objects that are no longer needed to the time since then, in ms.
    """

    number: int = 0
    etag: str | None = None
    state: dict[str, str] = field(default_factory=dict)
    live: frozenset[str] = frozenset()
    bundles: tuple[Bundle, ...] = ()
    superseded: dict[str, int] = field(default_factory=dict)

    @property
    def empty(self) -> bool:
        """Whether there is no index at all."""
        return not self.state

    @property
    def size(self) -> int:
        """The bytes of the live files."""
        return sum(size for bundle in self.bundles for name, size in bundle.files if name in self.live)

    def kept(self, live: frozenset[str], *, repack: bool = False) -> tuple[Bundle, ...]:
        """Return the bundles that a next version with these files keeps: those with a live file.

        With `repack` it keeps a bundle only if all of its files are live.
        """
        return tuple(
            bundle for bundle in self.bundles if bundle.names & live and not (repack and bundle.names - live)
        )

    def next(
        self, state: dict[str, str], live: frozenset[str], kept: tuple[Bundle, ...], added: Bundle | None
    ) -> "Manifest":
        """Return the next version, which consists of `live` files; `added` holds those that are not in `kept`."""
        now = clock.now_ms()
        keys = {bundle.key for bundle in kept}
        superseded = {key: since for key, since in self.superseded.items() if now - since <= GRACE_MS}
        superseded |= {bundle.key: now for bundle in self.bundles if bundle.key not in keys}
        return Manifest(
            number=self.number + 1,
            state=state,
            live=live,
            bundles=(*kept, *([added] if added else [])),
            superseded=superseded,
        )

    def expired(self) -> list[str]:
        """Return the keys of superseded objects whose grace is over."""
        now = clock.now_ms()
        return [key for key, since in self.superseded.items() if now - since > GRACE_MS]

    def to_json(self) -> str:
        """Return the manifest as it is stored. The etag is S3's."""
        written: dict[str, Any] = {
            "number": self.number,
            "state": self.state,
            "live": sorted(self.live),
            "bundles": [{"key": bundle.key, "files": bundle.files} for bundle in self.bundles],
            "superseded": self.superseded,
        }
        return json.dumps(written, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str | bytes, etag: str) -> Self:
        """Return a stored manifest."""
        read = json.loads(text)
        return cls(
            number=read["number"],
            etag=etag,
            state=read["state"],
            live=frozenset(read["live"]),
            bundles=tuple(
                Bundle(bundle["key"], tuple((name, size) for name, size in bundle["files"]))
                for bundle in read["bundles"]
            ),
            superseded=read["superseded"],
        )
