"""The archives of a build are written once for their content."""

import json
import zipfile
from pathlib import Path

import pytest

from scripts.local import build, packing

BUILT = """Resources:
  CoreLayer:
    Properties:
      ContentUri: CoreLayer
  MessagesFunction:
    Properties:
      CodeUri: MessagesFunction
  FilesFunction:
    Properties:
      CodeUri: FilesFunction
"""


@pytest.fixture
def artifacts(tmp_path: Path) -> Path:
    folder = tmp_path / "artifacts"
    for name, text in (
        ("CoreLayer", "a = 1\n"),
        ("MessagesFunction", "b = 2\n"),
        ("FilesFunction", "c = 3\n"),
    ):
        (folder / name / "python").mkdir(parents=True)
        (folder / name / "python" / "app.py").write_text(text)
    (folder / "template.yaml").write_text(BUILT)
    return folder


def named(template: Path) -> list[Path]:
    resources = json.loads(template.read_text())["Resources"].values()
    return [Path(value) for each in resources for value in each["Properties"].values()]


def test_the_template_names_an_archive_of_each_folder(artifacts: Path, tmp_path: Path) -> None:
    layer, messages, _ = named(packing.pack(artifacts, tmp_path / "archives"))

    with zipfile.ZipFile(layer) as archive:
        assert archive.namelist() == ["python/app.py"]
        assert archive.read("python/app.py") == b"a = 1\n"
        assert archive.getinfo("python/app.py").external_attr >> 16 == 0o100755
    with zipfile.ZipFile(messages) as archive:
        assert archive.read("python/app.py") == b"b = 2\n"


def test_a_build_that_changes_one_folder_changes_one_archive(artifacts: Path, tmp_path: Path) -> None:
    template = packing.pack(artifacts, tmp_path / "archives")
    before = {path: path.stat().st_ino for path in named(template)}
    template.unlink()  # as `sam build` does
    (artifacts / "FilesFunction" / "python" / "app.py").write_text("c = 4\n")

    after = {path: path.stat().st_ino for path in named(packing.pack(artifacts, tmp_path / "archives"))}

    assert len(before.items() & after.items()) == 2
    assert sorted((tmp_path / "archives").iterdir()) == sorted(after)


def test_functions_and_policies_of_the_template_are_as_the_build_wrote_them(
    artifacts: Path, tmp_path: Path
) -> None:
    written = """  Role:
    Properties:
      Path:
        Fn::Sub: /${Stage}/
      PolicyDocument:
        Version: 2012-10-17
"""
    (artifacts / "template.yaml").write_text(BUILT + written)

    template = json.loads(packing.pack(artifacts, tmp_path / "archives").read_text())

    assert template["Resources"]["Role"]["Properties"] == {
        "Path": {"Fn::Sub": "/${Stage}/"},
        "PolicyDocument": {"Version": "2012-10-17"},
    }


def test_folders_with_the_same_content_have_one_archive(artifacts: Path, tmp_path: Path) -> None:
    (artifacts / "FilesFunction" / "python" / "app.py").write_text("b = 2\n")

    _, messages, files = named(packing.pack(artifacts, tmp_path / "archives"))

    assert messages == files


def test_a_build_is_packed_once(artifacts: Path, tmp_path: Path) -> None:
    template = packing.pack(artifacts, tmp_path / "archives")
    written = template.stat().st_mtime_ns

    assert packing.pack(artifacts, tmp_path / "archives").stat().st_mtime_ns == written


def test_variables_of_makes_command_line_do_not_reach_the_makefiles_of_layers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("MAKELEVEL", raising=False)  # how deep `make` is; it has no variables
    monkeypatch.setenv("MAKEFLAGS", " -- SERVICES=fake")
    monkeypatch.setenv("MAKEOVERRIDES", "SERVICES=fake")

    assert [name for name in build.tool_environment() if name.startswith("MAKE")] == []
