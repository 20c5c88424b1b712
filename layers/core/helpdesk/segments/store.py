"""A search index in S3: immutable bundles of segment files, and a manifest that names the live ones.

A commit uploads one bundle with the files that it adds, then swaps the manifest under the condition that nobody
swapped it since (If-Match; If-None-Match for the first). A reader therefore sees one commit or the other, never half.

A bundle that no commit uses any more stays for `GRACE_MS`, because a reader may hold a manifest that still names
it; the manifest remembers since when. What a crash left between upload and swap, no manifest names: `sweep` finds
it by listing.

Manifests are counted, and a bundle's key begins with the number of the manifest that was to name it first. The swap
to that manifest may still come as long as there is none of that number; a bundle that is not named then never will be.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from helpdesk.platform import clients, clock, ids
from helpdesk.platform.units import DAY_MS, HOUR_MS

if TYPE_CHECKING:
    from mypy_boto3_s3.type_defs import GetObjectRequestTypeDef

GRACE_MS = HOUR_MS
"""Four times as long as a Lambda may run, so that no reader still works from a manifest that names the bundle."""

ORPHAN_MS = DAY_MS
MAX_REMOVALS = 1_000  # DeleteObjects' limit
_NUMBER_DIGITS = 10


@dataclass(frozen=True, slots=True)
class Place:
    """Where an index lives: a bucket, and what its keys begin with (no slash at the end)."""

    bucket: str
    prefix: str

    @property
    def manifest(self) -> str:
        """The manifest's key."""
        return f"{self.prefix}/manifest.json"

    @property
    def bundles(self) -> str:
        """What the bundles' keys begin with."""
        return f"{self.prefix}/bundles/"


@dataclass(frozen=True, slots=True)
class Bundle:
    """One object of segment files, one after the other; names and sizes in their order."""

    key: str
    files: tuple[tuple[str, int], ...]

    @property
    def size(self) -> int:
        """Its bytes."""
        return sum(size for _, size in self.files)


@dataclass(frozen=True, slots=True)
class Manifest:
    """What the index consists of.

    `meta` is the search library's own description, with the live segments. `superseded` has the bundles that were
    live before, by key, with the ms since when they are not. `etag` is None before the first commit. `number` counts
    the manifests of the index.
    """

    etag: str | None = None
    meta: dict[str, Any] | None = None
    bundles: tuple[Bundle, ...] = ()
    superseded: dict[str, int] = field(default_factory=dict)
    number: int = 0


class ConcurrentCommit(Exception):
    """Another writer swapped the manifest first."""


class NotRemoved(Exception):
    """S3 did not remove every object that it was told to: to be done again."""


class BundleMissing(Exception):
    """A bundle is not there: the manifest that names it is older than the grace."""


def load(place: Place, known: Manifest) -> Manifest:
    """Return the present manifest; `known` itself where it is that. One call."""
    s3 = clients.s3()
    request: GetObjectRequestTypeDef = {"Bucket": place.bucket, "Key": place.manifest}
    if known.etag is not None:
        request["IfNoneMatch"] = known.etag
    try:
        stored = s3.get_object(**request)
    except s3.exceptions.NoSuchKey:
        return known if known.etag is None else Manifest()
    except ClientError as error:
        if error.response["Error"]["Code"] in {"304", "NotModified"}:
            return known
        raise
    described = json.loads(stored["Body"].read())
    return Manifest(
        etag=stored["ETag"],
        meta=described["meta"],
        bundles=tuple(
            Bundle(bundle["key"], tuple((name, size) for name, size in bundle["files"]))
            for bundle in described["bundles"]
        ),
        superseded=described["superseded"],
        number=described.get("number", 0),
    )


def swap(place: Place, before: Manifest, after: Manifest) -> Manifest:
    """Put a manifest in the place of another and return it with its new etag. One call. Raises ConcurrentCommit."""
    text = json.dumps(
        {
            "meta": after.meta,
            "bundles": [{"key": bundle.key, "files": bundle.files} for bundle in after.bundles],
            "superseded": after.superseded,
            "number": after.number,
        },
        separators=(",", ":"),
    )
    bucket, key, body = place.bucket, place.manifest, text.encode()
    try:
        if before.etag is None:
            put = clients.s3().put_object(Bucket=bucket, Key=key, Body=body, IfNoneMatch="*")
        else:
            put = clients.s3().put_object(Bucket=bucket, Key=key, Body=body, IfMatch=before.etag)
    except ClientError as error:
        # NoSuchKey: the manifest was removed meanwhile. 409: two conditional writes met in the same moment.
        if error.response["Error"]["Code"] in {
            "PreconditionFailed",
            "NoSuchKey",
            "ConditionalRequestConflict",
        }:
            raise ConcurrentCommit from None
        raise
    return Manifest(put["ETag"], after.meta, after.bundles, after.superseded, after.number)


def put_bundle(place: Place, before: Manifest, files: Sequence[tuple[str, bytes]]) -> Bundle:
    """Store files as one bundle under a key of its own, for the manifest that is to follow `before`. One call."""
    key = f"{place.bundles}{before.number + 1:0{_NUMBER_DIGITS}d}_{ids.new('bundle')}"
    bundle = Bundle(key, tuple((name, len(data)) for name, data in files))
    clients.s3().put_object(Bucket=place.bucket, Key=bundle.key, Body=b"".join(data for _, data in files))
    return bundle


def fetch(place: Place, bundle: Bundle) -> Iterator[tuple[str, bytes]]:
    """Yield a bundle's files. One call. Raises BundleMissing."""
    s3 = clients.s3()
    try:
        body = s3.get_object(Bucket=place.bucket, Key=bundle.key)["Body"]
    except s3.exceptions.NoSuchKey:
        raise BundleMissing from None
    for name, size in bundle.files:
        yield name, body.read(size) if size else b""


def succeed(
    before: Manifest,
    meta: dict[str, Any],
    live: set[str],
    added: Bundle | None,
    *,
    anew: frozenset[str] = frozenset(),
) -> Manifest:
    """Return the manifest after a commit: bundles with a live file, and since when the others are superseded.

    The bundles `anew` (by key) are superseded, too: their live files are in the added one.
    """
    bundles = [
        bundle
        for bundle in before.bundles
        if bundle.key not in anew and any(name in live for name, _ in bundle.files)
    ]
    kept = {bundle.key for bundle in bundles}
    now = clock.now_ms()
    superseded = {key: since for key, since in before.superseded.items() if now - since <= GRACE_MS}
    superseded |= {bundle.key: now for bundle in before.bundles if bundle.key not in kept}
    return Manifest(None, meta, (*bundles, *([added] if added else [])), superseded, number=before.number + 1)


def remove_superseded(place: Place, before: Manifest) -> None:
    """Remove the bundles whose grace is over. One call, none where there is nothing to remove.

    Goes before the swap that forgets them: after a crash in between they are removed once more, which is no harm.
    """
    now = clock.now_ms()
    _remove(place, [key for key, since in before.superseded.items() if now - since > GRACE_MS])


def sweep(place: Place, present: Manifest) -> None:
    """Remove what uploads without a swap left behind a day ago or more."""
    named = {bundle.key for bundle in present.bundles} | set(present.superseded)
    listed = clients.s3().list_objects_v2(Bucket=place.bucket, Prefix=place.bundles)
    now = clock.now_ms()
    _remove(
        place,
        [
            entry["Key"]
            for entry in listed.get("Contents", [])
            if entry["Key"] not in named and now - entry["LastModified"].timestamp() * 1_000 > ORPHAN_MS
        ],
    )


def take_back(place: Place, bundle: Bundle) -> None:
    """Remove the bundle of a swap that was refused, unless the manifest names it after all. Two calls.

    It does where S3 had done the swap, its answer was lost, and a second try was refused because of the first.
    """
    if bundle.key not in {each.key for each in load(place, Manifest()).bundles}:
        _remove(place, [bundle.key])


def remove_unnamed(place: Place, present: Manifest) -> None:
    """Remove at once every bundle that is not live: superseded ones and what a crash left behind.

    A reader that still holds an older manifest finds its bundle missing, and asks for the present one. What a writer
    has uploaded for the next manifest stays. Two calls for a thousand bundles. Raises NotRemoved.
    """
    live = {bundle.key for bundle in present.bundles}
    after = ""
    while True:
        listed = clients.s3().list_objects_v2(Bucket=place.bucket, Prefix=place.bundles, StartAfter=after)
        found = [entry["Key"] for entry in listed.get("Contents", [])]
        dead = [key for key in found if key not in live and _number(place, key) <= present.number]
        if not _remove(place, dead):
            raise NotRemoved
        if not listed.get("IsTruncated"):
            return
        after = found[-1]


def _number(place: Place, key: str) -> int:
    """Return the number of the manifest that was to name a bundle first; 0 for one from before they were counted."""
    number = key.removeprefix(place.bundles).partition("_")[0]
    return int(number) if number.isdecimal() else 0


def _remove(place: Place, keys: list[str]) -> bool:
    """Remove objects; return whether S3 did as it was told with each."""
    if not keys:
        return True
    answer = clients.s3().delete_objects(
        Bucket=place.bucket,
        Delete={"Objects": [{"Key": key} for key in keys[:MAX_REMOVALS]], "Quiet": True},
    )
    return not answer.get("Errors")
