"""Installed packages match the lock: one set of versions, each with hashes, and no file names a package index."""

import ast
import re
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
import yaml
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
DEVELOPER = ROOT / "requirements" / "dev.txt"
LOCAL = ROOT / "requirements" / "local.txt"
PIP = ROOT / "requirements" / "pip.txt"
DEPLOYED = [
    *sorted(ROOT.glob("layers/*/requirements.txt")),
    *sorted(ROOT.glob("functions/*/requirements.txt")),
]
PEERS = ROOT / "benchmarks" / "peers" / "requirements.txt"
LISTS = [DEVELOPER, LOCAL, PIP, PEERS, *DEPLOYED]
SOURCES = [path.with_suffix(".in") for path in LISTS]


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def pins(path: Path) -> dict[str, str]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return dict(re.findall(r"^([a-z0-9._-]+)==([^ ;]+)", line)[0] for line in lines if line[:1].isalnum())


@pytest.mark.parametrize("path", LISTS, ids=name_of)
def test_every_requirement_is_pinned_with_hashes(path: Path) -> None:
    requirements = path.read_text(encoding="utf-8").replace("\\\n", " ").splitlines()

    without = [line for line in requirements if "==" not in line or "--hash=sha256:" not in line]

    assert without == []


@pytest.mark.parametrize("path", [LOCAL, PIP, *DEPLOYED], ids=name_of)
def test_deployed_versions_are_the_tested_versions(path: Path) -> None:
    developer = pins(DEVELOPER)

    different = {name: version for name, version in pins(path).items() if developer.get(name) != version}

    assert different == {}


def test_the_packages_of_make_dev_provide_what_its_commands_import() -> None:
    folders = ["local", "services", "seeding"]
    sources = [path for folder in folders for path in (ROOT / "scripts" / folder).rglob("*.py")]
    sources += [*(ROOT / "scripts").glob("*.py"), *(ROOT / "clients" / "cli" / "src").rglob("*.py")]
    sources = [path for path in sources if path.name not in {"audit.py", "licences.py"}]
    imported = {
        name.partition(".")[0]
        for path in sources
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    own = {"helpdesk", "helpdesk_cli", "helpdesk_files", "helpdesk_webhooks", "scripts"}
    foreign = imported - set(sys.stdlib_module_names) - own
    provided = {
        module
        for module, distributions in packages_distributions().items()
        if any(canonicalize_name(each) in pins(LOCAL) for each in distributions)
    }

    assert foreign - provided == set()


@pytest.mark.parametrize("path", [*LISTS, *SOURCES], ids=name_of)
def test_no_file_names_an_address_to_install_from(path: Path) -> None:
    text = path.read_text(encoding="utf-8")

    assert "://" not in text
    assert not re.search(r"^\s*(-i|--index|--extra-index|--find-links|-f)\b", text, re.MULTILINE)


def test_only_the_layer_of_functions_that_search_packages_the_search_library() -> None:
    carriers = [name_of(path.parent) for path in DEPLOYED if "tantivy" in pins(path)]

    assert carriers == ["layers/search_engine"]


def test_the_http_client_is_a_layer_but_for_the_function_that_has_five_others() -> None:
    carriers = [name_of(path.parent) for path in DEPLOYED if "aiohttp" in pins(path)]

    assert carriers == ["layers/http_client", "functions/agent_worker"]


def test_only_a_layer_packages_what_makes_and_checks_signatures() -> None:
    carriers = [
        name_of(path.parent) for path in DEPLOYED if {"cryptography", "joserfc", "pyjwt"} & pins(path).keys()
    ]

    assert carriers == ["layers/signatures"]


@pytest.mark.parametrize(
    ("ecosystem", "manifests"),
    [
        (
            "pip",
            [
                "requirements/*.in",
                *(f"{each}/*/requirements.txt" for each in ("layers", "functions", "benchmarks")),
            ],
        ),
        ("npm", ["clients/*/package.json", "clients/*/*/package.json"]),
    ],
)
def test_every_folder_with_pinned_packages_is_updated_each_week(ecosystem: str, manifests: list[str]) -> None:
    updates = yaml.safe_load((ROOT / ".github" / "dependabot.yml").read_text(encoding="utf-8"))["updates"]
    patterns = [
        folder.removeprefix("/")
        for update in updates
        if update["package-ecosystem"] == ecosystem
        for folder in update["directories"]
    ]
    folders = {path.parent for pattern in manifests for path in ROOT.glob(pattern)}

    missed = [
        name_of(each) for each in folders if not any(each in ROOT.glob(pattern) for pattern in patterns)
    ]

    assert folders
    assert missed == []
