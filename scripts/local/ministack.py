"""`python -m scripts.local.ministack`: MiniStack, with one copy of each package of code for all its worker processes.

MiniStack 1.5.33 unpacks a function's code and layers afresh for each worker process. A few dozen workers then hold
gigabytes, and removing them holds up updates and the stop for minutes. Here a worker's folders are symbolic links into
one folder that holds each archive's content once, under the archive's SHA-256.
"""

import hashlib
import importlib
import os
import shutil
import tempfile
import threading
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

# As MiniStack names a worker's folder, in the same place.
_WORKERS = "ministack-lambda-*"
_LARGE = 1_000_000  # bytes


class SharedContent:
    """The unpacked content of archives, each once, for as long as a worker uses it."""

    def __init__(self, temporary: Path) -> None:
        self._temporary = temporary
        self._folder = temporary / "shared"
        self._lock = threading.Lock()
        self._large: dict[str, Path] = {}

    def place(self, archive: zipfile.ZipFile, source: Path, target: Path) -> None:
        """Make an empty folder a link to the archive's content, and remove the archive's file."""
        with source.open("rb") as file:
            content = self._folder / hashlib.file_digest(file, "sha256").hexdigest()
        with self._lock:
            if not content.exists():
                self._remove_unused()
                unfinished = content.with_suffix(".new")
                zipfile.ZipFile.extractall(archive, unfinished)
                self._link_large_files(unfinished, content)
                unfinished.rename(content)
            target.rmdir()
            target.symlink_to(content)
        source.unlink()

    def _link_large_files(self, folder: Path, final: Path) -> None:
        """Make large files that another archive has too hard links: several functions carry the same libraries."""
        for path in folder.rglob("*"):
            if path.is_symlink() or not path.is_file() or path.stat().st_size < _LARGE:
                continue
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
            known = self._large.get(digest)
            if known is not None and known.exists():
                path.unlink()
                path.hardlink_to(known)
            else:
                self._large[digest] = final / path.relative_to(folder)

    def _remove_unused(self) -> None:
        """Remove what no worker links to: code and layers that an update replaced, and what was left unfinished."""
        used = {
            Path(os.path.realpath(link))
            for link in self._temporary.glob(f"{_WORKERS}/*")
            if link.is_symlink()
        }
        for content in self._folder.glob("*"):
            if content.resolve() not in used:
                shutil.rmtree(content, ignore_errors=True)


def share_content(temporary: Path) -> None:
    """Let MiniStack's worker processes share what they unpack into the temporary folder."""
    shared = SharedContent(temporary)

    class SharedZipFile(zipfile.ZipFile):
        """A ZipFile that does not unpack what is unpacked already."""

        def extractall(self, path: Any = None, members: Any = None, pwd: Any = None) -> None:  # noqa: ARG002 - as in ZipFile
            shared.place(self, Path(str(self.filename)), Path(path))

    runtime = importlib.import_module("ministack.core.lambda_runtime")
    runtime.zipfile = SimpleNamespace(**vars(zipfile) | {"ZipFile": SharedZipFile})  # type: ignore[attr-defined] # untyped


def main() -> None:
    """Run MiniStack until it is asked to end."""
    share_content(Path(tempfile.gettempdir()))
    importlib.import_module("ministack.app").main()


if __name__ == "__main__":
    main()
