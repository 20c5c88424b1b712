"""The archives that `sam deploy` uploads, each written once for its content.

SAM CLI 1 compresses every folder of the build at each deployment, which takes most of the time of a deployment to the
emulator. It uploads an archive that a template names as it is. And it parses the template ten times, which is quicker
in JSON than in the YAML that `sam build` writes.
"""

import hashlib
import json
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import yaml

TEMPLATE = "packed.json"
_CODE = ("CodeUri", "ContentUri")
_PERMISSIONS = 0o100755 << 16  # those of the archives of SAM CLI


def pack(artifacts: Path, archives: Path) -> Path:
    """Write the archives that are missing, and return a template beside the build's that names them."""
    packed = artifacts / TEMPLATE
    if packed.exists():  # `sam build` empties the folder
        return packed
    archives.mkdir(parents=True, exist_ok=True)
    template = yaml.load((artifacts / "template.yaml").read_text(encoding="utf-8"), Loader=_Loader)  # noqa: S506 - safe
    carriers = [
        (resource["Properties"], key)
        for resource in template["Resources"].values()
        for key in _CODE
        if isinstance(resource, dict) and key in resource.get("Properties", {})
    ]
    folders = {properties[key] for properties, key in carriers}
    with ThreadPoolExecutor(2) as threads:  # zlib lets the other one run
        made = dict(
            zip(folders, threads.map(lambda name: _archive(artifacts / name, archives), folders), strict=True)
        )
    for left in set(archives.iterdir()) - set(made.values()):
        left.unlink()
    unfinished = packed.with_suffix(".new")
    for properties, key in carriers:
        properties[key] = str(made[properties[key]])
    unfinished.write_text(json.dumps(template, indent=1), encoding="utf-8")
    return unfinished.rename(packed)


class _Loader(yaml.CSafeLoader):
    """The loader of what `sam build` writes, which has functions in their long form."""


def _text(loader: _Loader, node: yaml.ScalarNode) -> Any:
    return loader.construct_scalar(node)


# The version of a policy's language is a text, as CloudFormation reads it, and no date.
_Loader.add_constructor("tag:yaml.org,2002:timestamp", _text)


def _archive(folder: Path, archives: Path) -> Path:
    """Return the archive of a folder's content. Two folders with the same content have one."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    digest = hashlib.sha256()
    for path in files:
        content = path.read_bytes()
        digest.update(f"{path.relative_to(folder)}\0{len(content)}\0".encode())
        digest.update(content)
    archive = archives / f"{digest.hexdigest()}.zip"
    if not archive.exists():
        unfinished = archives / f"{folder.name}.new"
        # The quickest compression: the archive travels within this machine.
        with zipfile.ZipFile(unfinished, "w") as target:
            for path in files:
                entry = zipfile.ZipInfo(str(path.relative_to(folder)))
                entry.create_system, entry.external_attr = 3, _PERMISSIONS  # Unix
                target.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED, compresslevel=1)
        unfinished.rename(archive)
    return archive
