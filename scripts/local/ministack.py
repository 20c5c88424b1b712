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


class SharedContent:
    """The unpacked content of archives, each once, for as long as a worker uses it."""

    def __init__(self, temporary: Path) -> None:
        self._temporary = temporary
        self._folder = temporary / "shared"
        self._lock = threading.Lock()

    def place(self, archive: zipfile.ZipFile, source: Path, target: Path) -> None:
        """Make an empty folder a link to the archive's content, and remove the archive's file."""
        with source.open("rb") as file:
            content = self._folder / hashlib.file_digest(file, "sha256").hexdigest()
        with self._lock:
            if not content.exists():
                self._remove_unused()
                unfinished = content.with_suffix(".new")
                zipfile.ZipFile.extractall(archive, unfinished)
                unfinished.rename(content)
            target.rmdir()
            target.symlink_to(content)
        source.unlink()

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
