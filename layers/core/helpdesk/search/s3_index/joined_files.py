"""Several files on disk, read as one.

A merged segment and merged vectors may have hundreds of megabytes, more than a function has memory for beside them.
"""

import io
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer


class JoinedFiles(io.RawIOBase):
    """The content of files, one after the other, for one upload. The files do not change meanwhile."""

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
