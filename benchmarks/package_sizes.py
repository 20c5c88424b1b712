"""How large each built function and layer is, as it is uploaded and as it is unpacked."""

import tempfile
import zipfile
from pathlib import Path

from benchmarks.function_start import functions, layers_of
from benchmarks.report import Section, Target
from scripts.local import build
from scripts.local.progress import Progress

TITLE = "Package sizes"
LIMIT_MB = 250  # a function with its layers, unpacked (Lambda quotas)

TEXT = """What `sam build` made, for this machine's processor. Zipped as the deployment zips it. A function is
unpacked together with the layers; Lambda takes 250 MB of that."""


def run(*, tiny: bool = False) -> Section:  # noqa: ARG001 - there is nothing to make smaller
    """Measure."""
    section = Section(TITLE, TEXT, ("Package", "Zipped", "Unpacked", "with its layers"))
    with build.built(Progress()) as (folder, _):
        layers = dict.fromkeys(layer for name in functions() for layer in layers_of(name))
        sizes = {name: _sizes(folder / name) for name in (*layers, *functions())}
    whole = {name: sizes[name][1] + sum(sizes[layer][1] for layer in layers_of(name)) for name in functions()}
    for name, (zipped, unpacked) in sizes.items():
        together = _megabytes(whole[name]) if name in whole else ""
        section.rows.append((name, _megabytes(zipped), _megabytes(unpacked), together))
    section.targets.append(
        Target("Largest function with its layers, unpacked, MB", max(whole.values()) / 1_000_000, LIMIT_MB)
    )
    return section


def _sizes(folder: Path) -> tuple[int, int]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    with tempfile.TemporaryFile() as target:
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in files:
                archive.write(path, path.relative_to(folder))
        zipped = target.tell()
    return zipped, sum(path.stat().st_size for path in files)


def _megabytes(size: int) -> str:
    return f"{size / 1_000_000:.2f} MB" if size >= 100_000 else f"{size / 1_000:.1f} KB"
