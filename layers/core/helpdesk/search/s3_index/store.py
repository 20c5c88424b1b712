"""The objects of an index in S3: immutable bundles of files, and the manifest that names them.

A commit uploads one bundle with its new files and then replaces the manifest on the condition that nobody else replaced
it (If-Match, or If-None-Match for the first one). A reader sees one commit or the next, never half of one.

A bundle that no manifest needs stays for `GRACE_MS`, because a reader may hold a manifest that names it. A crash
between upload and replacement leaves a bundle that no manifest names; `sweep` finds it by listing.

The key of a bundle begins with the number of the manifest that it was uploaded for. While no manifest has that number,
the replacement may still come. Afterwards, a bundle that no manifest names is garbage.
"""

import io
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

from botocore.exceptions import ClientError

from helpdesk.platform import clients, clock, ids
from helpdesk.platform.record import Record
from helpdesk.platform.units import DAY_MS
from helpdesk.search.s3_index.manifest import Bundle, Manifest

if TYPE_CHECKING:
    from botocore.response import StreamingBody
    from mypy_boto3_s3.type_defs import GetObjectRequestTypeDef


ORPHAN_MS = DAY_MS
"""Age from which an object that no manifest names is removed."""

MAX_REMOVALS = 1_000  # the limit of DeleteObjects
_NUMBER_DIGITS = 10
_LAST_NUMBER = 10**_NUMBER_DIGITS
_CHUNK_BYTES = 1_000_000


class IndexLocation(Record):
    """The bucket and the key prefix of an index, without a slash at the end."""

    bucket: str
    prefix: str

    @property
    def manifest(self) -> str:
        """The key of the manifest."""
        return f"{self.prefix}/manifest.json"

    @property
    def bundles(self) -> str:
        """The key prefix of the bundles."""
        return f"{self.prefix}/bundles/"


class ConcurrentCommit(Exception):
    """Another writer replaced the manifest first."""


class RemovalFailed(Exception):
    """S3 did not remove every object. The caller must repeat the removal."""


class JoinedFiles(io.RawIOBase):
    """The content of files, one after the other, for one upload. The files do not change meanwhile.

    A merged segment and merged vectors may have hundreds of megabytes, more than a function has memory for.
    """

    def __init__(self, files: Sequence[Path]) -> None:
        self._files = [path.open("rb", buffering=0) for path in files]
        lengths = [path.stat().st_size for path in files]
        self.sizes = tuple((path.name, length) for path, length in zip(files, lengths, strict=True))
        self._starts = [0, *accumulate(lengths)]
        self._at = 0

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Move to a place; return it. The SDK moves to the end to learn the length, and back to repeat an upload."""
        origin = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._starts[-1]}[whence]
        self._at = max(0, origin + offset)
        return self._at

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        """Read into a buffer from one of the files; return the number of bytes, 0 at the end of the last file."""
        if self._at >= self._starts[-1]:
            return 0
        number = bisect_right(self._starts, self._at) - 1
        self._files[number].seek(self._at - self._starts[number])
        count = self._files[number].readinto(buffer) or 0
        self._at += count
        return count

    def close(self) -> None:
        """Close the files."""
        for file in self._files:
            file.close()
        super().close()


class BundleMissing(Exception):
    """A bundle is gone: the manifest that names it is older than the grace."""


def load(location: IndexLocation, known: Manifest) -> Manifest:
    """Return the current manifest, or `known` itself if it is current. One call."""
    s3 = clients.s3()
    request: GetObjectRequestTypeDef = {"Bucket": location.bucket, "Key": location.manifest}
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
    return Manifest.from_json(stored["Body"].read(), stored["ETag"])


def swap(location: IndexLocation, before: Manifest, after: Manifest) -> Manifest:
    """Replace the manifest and return it with its new etag. One call. Raises ConcurrentCommit."""
    bucket, key, body = location.bucket, location.manifest, after.to_json().encode()
    try:
        if before.etag is None:
            put = clients.s3().put_object(Bucket=bucket, Key=key, Body=body, IfNoneMatch="*")
        else:
            put = clients.s3().put_object(Bucket=bucket, Key=key, Body=body, IfMatch=before.etag)
    except ClientError as error:
        # NoSuchKey: the manifest was removed meanwhile. 409: two conditional writes at the same moment.
        if error.response["Error"]["Code"] in {
            "PreconditionFailed",
            "NoSuchKey",
            "ConditionalRequestConflict",
        }:
            raise ConcurrentCommit from None
        raise
    return Manifest(after.number, put["ETag"], after.state, after.live, after.bundles, after.superseded)


def put_bundle(location: IndexLocation, before: Manifest, files: Sequence[Path]) -> Bundle:
    """Upload files as one bundle for the manifest that follows `before`. One call."""
    key = f"{location.bundles}{before.number + 1:0{_NUMBER_DIGITS}d}_{ids.new('bundle')}"
    with JoinedFiles(files) as body:
        # The SDK takes whatever reads and seeks as a file.
        clients.s3().put_object(Bucket=location.bucket, Key=key, Body=cast("IO[bytes]", body))
        return Bundle(key, body.sizes)


def fetch(location: IndexLocation, bundle: Bundle) -> Iterator[tuple[str, Iterator[bytes]]]:
    """Yield the files of a bundle in chunks, to be read in their order. One call. Raises BundleMissing."""
    s3 = clients.s3()
    try:
        body = s3.get_object(Bucket=location.bucket, Key=bundle.key)["Body"]
    except s3.exceptions.NoSuchKey:
        raise BundleMissing from None
    for name, size in bundle.files:
        yield name, _chunks(body, size)


def _chunks(body: "StreamingBody", size: int) -> Iterator[bytes]:
    """Yield the next `size` bytes. A file of hundreds of megabytes would not fit in the memory of every function."""
    while size:
        chunk = body.read(min(size, _CHUNK_BYTES))
        if not chunk:
            raise EOFError("the bundle is shorter than its manifest says")
        size -= len(chunk)
        yield chunk


def remove_expired(location: IndexLocation, before: Manifest) -> None:
    """Remove superseded bundles whose grace is over. One call; none if there is nothing to remove.

    Comes before the swap that drops them from the manifest, so that a crash in between only repeats the removal.
    """
    _remove(location, before.expired())


def sweep(location: IndexLocation, current: Manifest) -> None:
    """Remove bundles that were uploaded a day ago or earlier and that no manifest names. Two calls.

    Looks at the first thousand objects only; the next sweep sees the rest.
    """
    named = {bundle.key for bundle in current.bundles} | current.superseded.keys()
    listed = clients.s3().list_objects_v2(Bucket=location.bucket, Prefix=location.bundles)
    now = clock.now_ms()
    _remove(
        location,
        [
            entry["Key"]
            for entry in listed.get("Contents", [])
            if entry["Key"] not in named and now - entry["LastModified"].timestamp() * 1000 > ORPHAN_MS
        ],
    )


def take_back(location: IndexLocation, bundle: Bundle) -> None:
    """Remove the bundle of a refused swap, unless the manifest names it after all. Two calls.

    It does if S3 carried out the swap, the response was lost, and the client's own retry was refused.
    """
    if bundle.key not in {each.key for each in load(location, Manifest()).bundles}:
        _remove(location, [bundle.key])


def remove_unnamed(location: IndexLocation, current: Manifest) -> None:
    """Remove every bundle that is not live at once: superseded ones and leftovers of crashes.

    A reader with an older manifest finds its bundle missing and loads the current manifest. A bundle that another
    writer uploaded for the next manifest stays. Two calls for each thousand bundles. Raises RemovalFailed.
    """
    live = {bundle.key for bundle in current.bundles}
    after = ""
    while True:
        listed = clients.s3().list_objects_v2(
            Bucket=location.bucket, Prefix=location.bundles, StartAfter=after
        )
        found = [entry["Key"] for entry in listed.get("Contents", [])]
        dead = [key for key in found if key not in live and _number(location, key) <= current.number]
        if not _remove(location, dead):
            raise RemovalFailed
        if not listed.get("IsTruncated"):
            return
        after = found[-1]


def remove_all(location: IndexLocation) -> None:
    """Remove an index: first its manifest, so that no reader finds one without its bundles. Raises RemovalFailed."""
    _remove(location, [location.manifest])
    remove_unnamed(location, Manifest(number=_LAST_NUMBER))


def folders(bucket: str, prefix: str) -> list[str]:
    """Return what follows a prefix in keys up to the next slash, with both. One call; up to a thousand."""
    listed = clients.s3().list_objects_v2(Bucket=bucket, Prefix=prefix, Delimiter="/")
    return [each["Prefix"] for each in listed.get("CommonPrefixes", [])]


def _number(location: IndexLocation, key: str) -> int:
    """Return the number of the manifest that a bundle was uploaded for."""
    return int(key.removeprefix(location.bundles).partition("_")[0])


def _remove(location: IndexLocation, keys: list[str]) -> bool:
    """Remove objects; return whether S3 removed all of them."""
    if not keys:
        return True
    answer = clients.s3().delete_objects(
        Bucket=location.bucket,
        Delete={"Objects": [{"Key": key} for key in keys[:MAX_REMOVALS]], "Quiet": True},
    )
    return not answer.get("Errors")


if TYPE_CHECKING:
    from _typeshed import WriteableBuffer
