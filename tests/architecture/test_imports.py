"""Imports point one way: functions to nouns, nouns to events, storage and platform (CONTRIBUTING.md)."""

import ast
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

from tests.support.rules import for_each
from tests.support.template import ROOT

CORE = ROOT / "layers" / "core" / "helpdesk"
MODULES = sorted(path for path in CORE.rglob("*.py"))
FUNCTIONS = sorted((ROOT / "functions").glob("*/*.py"))

# The foundations below the nouns, lowest first: each may import itself and the packages named.
FOUNDATIONS = {
    "platform": set(),
    "storage": {"platform"},
    "events": {"platform", "storage"},
    "search/embeddings": {"platform"},
    "outbound": {"platform"},
    "api/http": {"platform", "storage"},
    "api/logs": {"api/http", "platform", "storage"},
    "api/admission": {"api/logs", "platform", "storage"},
    "api/idempotency": {"api/admission", "platform", "storage"},
    "api/routing": {"api/admission", "api/http", "api/idempotency", "platform", "storage"},
}
MOST_ROOMS = 30
# The modules outside storage that call an AWS service, and which service.
ADAPTERS = {
    "agent/converse.py": {"bedrock"},
    "analytics/exporting.py": {"s3"},
    "search/embeddings/bedrock.py": {"bedrock"},
    "webhooks/delivery/queue.py": {"sqs"},
    "conversations/files/store.py": {"s3"},
    "knowledge/document_store.py": {"s3"},
    "live/invoking.py": {"functions"},
    "live/posting.py": {"live_connections"},
    "knowledge/images.py": {"s3"},
    "knowledge/vectorizing.py": {"s3"},
    "mail/sender.py": {"ses"},
    "platform/queues.py": {"sqs"},
    "search/s3_index/store.py": {"s3"},
}
# botocore beyond its exceptions: the bundle of certificates that comes with it.
BOTOCORE = {"outbound/sender.py"}


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


@cache
def imports(path: Path) -> tuple[str, ...]:
    """Return every name that a module imports, as `package.module.name`, except those for type checking alone."""
    found: list[str] = []
    checked_only = {
        id(inner)
        for node in ast.walk(tree(path))
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree(path)):
        if id(node) in checked_only:
            continue
        if isinstance(node, ast.Import):
            found += (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            found += (f"{node.module}.{alias.name}" for alias in node.names)
    return tuple(found)


def own(path: Path) -> Iterator[list[str]]:
    """Yield the parts of each import from helpdesk, without that name: ["storage", "keys"]."""
    for name in imports(path):
        if name.startswith("helpdesk."):
            yield name.split(".")[1:]


def inside(path: Path) -> str:
    return path.relative_to(CORE).as_posix()


def room_of(parts: list[str]) -> str:
    """Return the package of a module that stands directly in helpdesk."""
    return parts[0]


def package_of(parts: list[str]) -> str:
    """Return the package of a module. A folder in a package, such as `integrations/slack`, is one of its own."""
    return "/".join(parts[:2]) if (CORE.joinpath(*parts[:2])).is_dir() else parts[0]


def is_repository(name: str) -> bool:
    """Whether a module is a repository by its name: `repository`, `snooze_repository`."""
    return name == "repository" or name.endswith("_repository")


def is_internal(name: str) -> bool:
    """Whether a module or a name in it is no door of its package: a repository, a worker, what begins with `_`."""
    return is_repository(name) or name == "worker" or name.startswith("_")


def imported(of: Callable[[list[str]], str]) -> dict[str, set[str]]:
    """Return what each package, or each room, of helpdesk imports, without itself."""
    found: dict[str, set[str]] = {}
    for path in MODULES:
        found.setdefault(of(inside(path).split("/")), set()).update(map(of, own(path)))
    return {package: imports - {package} for package, imports in found.items()}


@for_each("of", [room_of, package_of], ids=["rooms", "packages"])
def test_neither_rooms_nor_packages_import_each_other_in_a_circle(of: Callable[[list[str]], str]) -> None:
    left = imported(of)
    while without := {package for package, imports in left.items() if not imports & left.keys()}:
        left = {package: imports for package, imports in left.items() if package not in without}

    assert {package: sorted(imports & left.keys()) for package, imports in left.items()} == {}


def test_helpdesk_has_few_rooms() -> None:
    assert len(imported(room_of)) <= MOST_ROOMS


@for_each("path", [p for p in MODULES if package_of(inside(p).split("/")) in FOUNDATIONS], ids=inside)
def test_a_foundation_imports_only_foundations_below_it(path: Path) -> None:
    package = package_of(inside(path).split("/"))

    assert set(map(package_of, own(path))) <= FOUNDATIONS[package] | {package}


@for_each("path", MODULES, ids=inside)
def test_repositories_workers_and_private_names_are_imported_within_their_package_alone(path: Path) -> None:
    package = package_of(inside(path).split("/"))
    foreign = [
        parts for parts in own(path) if any(map(is_internal, parts[1:])) and package_of(parts) != package
    ]

    assert foreign == []


@for_each("path", [p for p in MODULES if p.name == "__init__.py"], ids=inside)
def test_an_init_imports_no_module_so_that_a_function_loads_only_those_that_it_uses(path: Path) -> None:
    assert list(own(path)) == []


@for_each("path", [p for p in MODULES if is_repository(p.stem)], ids=inside)
def test_a_repository_imports_no_service(path: Path) -> None:
    assert [parts for parts in own(path) if "service" in parts[1:]] == []


@for_each("path", [p for p in MODULES if p.name in {"schemas.py", "errors.py", "state.py"}], ids=inside)
def test_schemas_errors_and_states_import_no_services_or_clients(path: Path) -> None:
    acting = {"service", "repository", "table", "transactions", "clients"}

    assert [parts for parts in own(path) if acting & set(parts)] == []


@for_each("path", FUNCTIONS, ids=lambda path: path.parent.name)
def test_a_function_imports_no_repository_no_storage_and_no_client(path: Path) -> None:
    reached = [
        parts
        for parts in own(path)
        if any(map(is_repository, parts)) or parts[0] == "storage" or "clients" in parts
    ]

    assert reached == []


@for_each("path", MODULES, ids=inside)
def test_no_module_imports_a_function(path: Path) -> None:
    assert [name for name in imports(path) if name.split(".")[0] in {"functions", "scripts", "tests"}] == []


@for_each("path", [*MODULES, *FUNCTIONS], ids=lambda path: path.relative_to(ROOT).as_posix())
def test_boto3_is_imported_where_clients_are_made_and_values_are_serialized(path: Path) -> None:
    packages = {name.split(".")[0] for name in imports(path)}
    place = path.relative_to(ROOT).as_posix().removeprefix("layers/core/helpdesk/")

    assert "boto3" not in packages or place == "platform/clients.py" or place.startswith("storage/")
    beyond = {
        n for n in imports(path) if n.startswith("botocore") and not n.startswith("botocore.exceptions.")
    }
    assert not beyond or place in {"platform/clients.py"} | BOTOCORE


def services_called(path: Path) -> set[str]:
    """Return the services whose clients a module asks for: `clients.sqs()` is sqs."""
    return {
        node.attr
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "clients"
    }


@for_each("path", [*MODULES, *FUNCTIONS], ids=lambda path: path.relative_to(ROOT).as_posix())
def test_aws_is_called_in_storage_and_the_named_adapters_alone(path: Path) -> None:
    place = path.relative_to(ROOT).as_posix().removeprefix("layers/core/helpdesk/")
    allowed = {"dynamodb"} if place.startswith("storage/") else ADAPTERS.get(place, set())

    assert services_called(path) <= allowed


def test_every_adapter_named_here_still_is_one() -> None:
    assert {place for place in ADAPTERS if services_called(CORE / place)} == set(ADAPTERS)


def is_template(node: ast.AST) -> bool:
    """Return whether a node gives the templates of a record's keys."""
    if not isinstance(node, ast.Assign):
        return False
    names = {each.id for target in node.targets for each in ast.walk(target) if isinstance(each, ast.Name)}
    return bool(names) and names <= {"PK", "SK", "GSI1", "GSI2", "GSI3", "GSI4"}


@for_each("path", MODULES, ids=inside)
def test_keys_are_spelled_in_one_place(path: Path) -> None:
    if re.fullmatch(r"storage/(\w+_)?keys\.py", inside(path)):
        return
    templates = {id(each) for node in ast.walk(tree(path)) if is_template(node) for each in ast.walk(node)}
    texts = [
        node.value
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Constant) and id(node) not in templates
    ]
    # A docstring of several lines may speak of a key.
    spelled = [text for text in texts if isinstance(text, str) and "ORG#" in text and "\n" not in text]

    assert spelled == []
