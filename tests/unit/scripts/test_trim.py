"""What no function reads is removed from a built layer, and nothing else."""

from pathlib import Path

import pytest

from scripts import trim


def test_files_and_folders_that_the_patterns_name_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packages = tmp_path / "Layer" / "python"
    for name in (
        "a/lib.so.1",
        "a/module.so",
        "a/tests/x.py",
        "a/b/tests/tests/y.py",
        "tools/z.py",
        "a/tools/z.py",
    ):
        (packages / name).parent.mkdir(parents=True, exist_ok=True)
        (packages / name).touch()
    monkeypatch.setattr(trim, "UNREAD", {"Layer": ("a/lib.so.*", "a/**/tests", "tools"), "Absent": ("a",)})

    trim.trim(tmp_path)

    assert sorted(path.name for path in packages.rglob("*.*")) == ["module.so", "z.py"]
    trim.trim(tmp_path)  # nothing is left to remove
