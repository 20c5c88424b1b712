"""Removes from what `sam build` made the files of packages that no function reads: `python -m scripts.trim FOLDER`.

A layer of pure Python is trimmed by its Makefile. A Makefile can't know which processor SAM CLI builds for, so packages
that depend on the processor are installed by SAM CLI itself, and trimmed here (docs/decisions/0048). The names are the
same for both processors. A build that isn't trimmed works, too; its layers are larger.
"""

import shutil
import sys
from pathlib import Path

UNREAD = {
    "SentenceVectorsLayer": (
        "onnxruntime/capi/libonnxruntime.so.*",  # for programs in C; the Python module has a copy of its own
        "onnxruntime/backend",
        "onnxruntime/datasets",
        "onnxruntime/quantization",
        "onnxruntime/tools",
        "onnxruntime/transformers",
        "google",  # protobuf, with which onnxruntime's tools write models
        "numpy/f2py",
        "numpy/**/tests",
    )
}
"""Patterns of paths in a layer's packages, by layer."""


def trim(folder: Path) -> None:
    """Remove the files from a folder of artifacts, those that are there."""
    for layer, patterns in UNREAD.items():
        for path in unread(folder / layer / "python", patterns):
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()


def unread(packages: Path, patterns: tuple[str, ...]) -> list[Path]:
    """Return what the patterns name in a folder of packages. Nothing that is returned is inside another."""
    found = [path for pattern in patterns for path in sorted(packages.glob(pattern))]
    return [path for path in found if not any(parent in found for parent in path.parents)]


if __name__ == "__main__":
    trim(Path(sys.argv[1]))
