"""Every built function starts with the path that it has on AWS: its artifact and its layers.

The emulator runs functions in this project's own environment, where a package missing from a layer goes unnoticed.
"""

import ast
import json
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from aws_lambda_builders.builder import LambdaBuilder

from benchmarks.function_start import LAYERS, functions, layers_of
from scripts import sam, trim
from scripts.local import build
from scripts.local.progress import Progress
from scripts.local.settings import architecture
from tests.architecture.test_packaging_pins import DEPLOYED, pins
from tests.support import effort
from tests.support.template import ROOT, template

FUNCTIONS = sorted(
    name
    for name, resource in template()["Resources"].items()
    if isinstance(resource, dict) and resource.get("Type") == "AWS::Serverless::Function"
)
# What Lambda itself sets, as far as a start needs it.
LAMBDA = {"AWS_DEFAULT_REGION": "eu-west-1", "AWS_LAMBDA_FUNCTION_NAME": "none"}
CLIENTS = ROOT / "layers" / "core" / "helpdesk" / "platform" / "clients.py"
# What a cold start may not exceed: an artifact with its layers is unpacked to at most 250 MB.
UNPACKED_LIMIT_BYTES = 250 * 1024 * 1024

pytestmark = pytest.mark.build


@pytest.fixture(scope="session")
def artifacts() -> Path:
    # The lock is released at once: others of this run build too, and the sources do not change under it.
    with build.built(Progress()) as (folder, _):
        return folder


def layers(artifacts: Path, function: str) -> list[Path]:
    return [artifacts / name / "python" for name in layers_of(function)]


def environment(function: str) -> dict[str, str]:
    """Return the variables that the template gives a function, with values that name nothing."""
    resources, shared = template()["Resources"], template()["Globals"]["Function"]["Environment"]["Variables"]
    own = resources[function]["Properties"]["Environment"]["Variables"]
    return {**dict.fromkeys((*shared, *own), "none"), "POWERTOOLS_LOG_LEVEL": "INFO", **LAMBDA}


def run(artifacts: Path, function: str, program: str) -> subprocess.CompletedProcess[str]:
    path = [str(artifacts / function), *map(str, layers(artifacts, function))]
    # -I and -S leave the standard library: no site-packages, no .pth files, no variables, not the working folder.
    return subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path[:0] = {path!r}\n{program}"],
        env=environment(function),
        cwd="/",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@cache
def start(artifacts: Path, function: str) -> tuple[frozenset[str], int]:
    """Return the modules that a function imports at start, from its artifact and its layers alone.

    And how often the garbage collector ran until it had its DynamoDB client, its runs before the first module left out.
    """
    counted = "import gc, helpdesk; runs = []; gc.callbacks.append(lambda phase, _: runs.append(phase))"
    imported = "import app; assert callable(app.handler); modules = [*sys.modules]"
    started = (
        "from helpdesk.platform import clients; clients.dynamodb(); print(runs.count('start'), *modules)"
    )
    done = run(artifacts, function, f"{counted}; {imported}; {started}")
    assert done.returncode == 0, done.stderr
    runs, *modules = done.stdout.split()
    return frozenset(modules), int(runs)


def modules_at_start(artifacts: Path, function: str) -> frozenset[str]:
    return start(artifacts, function)[0]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_built_function_imports_from_its_artifact_and_layers_alone(artifacts: Path, function: str) -> None:
    assert "app" in modules_at_start(artifacts, function)


def test_the_garbage_collector_does_not_run_during_a_start(artifacts: Path) -> None:
    assert [function for function in FUNCTIONS if start(artifacts, function)[1]] == []


# Modules that no API function needs at start (docs/decisions/0030).
NEEDLESS = ("aiohttp", "asyncio", "aws_lambda_powertools.event_handler", "boto3", "tantivy")
# Our own modules that take milliseconds of a start, and the functions whose routes need them.
NEEDED_BY = {
    "helpdesk.tools.approvals.schemas": "Conversations Customers",
    "helpdesk.board.schemas": "Board",
    "helpdesk.conversations.service": "Analytics Conversations Messages Signals Tools",
    "helpdesk.conversations.schemas": "Conversations Customers Messages",
    "helpdesk.customers.schemas": "Customers",
    "helpdesk.conversations.files.schemas": "Files",
    "helpdesk.conversations.files.sniffing": "Files",
    "helpdesk.api.logs.schemas": "Analytics Organizations",
    "helpdesk.conversations.messages.schemas": "Messages",
    "helpdesk.progress.schemas": "Tasks",
    "helpdesk.signals.reporting": "Signals",
    "helpdesk.signals.schemas": "Signals",
    "helpdesk.tools.schemas": "Tools",
}
# Our own modules that the OAuth function does not need: it shows and accepts invitations, and requests names.
NEEDLESS_FOR_PAGES = (
    "helpdesk.events.outbox",
    "helpdesk.accounts.invites.jobs",
    "helpdesk.accounts.invites.schemas",
    "helpdesk.accounts.invites.service",
    "helpdesk.accounts.organizations.schemas",
)


@pytest.mark.parametrize("function", sorted(name for name, serves in functions().items() if serves))
def test_an_api_function_imports_no_unneeded_modules_at_start(artifacts: Path, function: str) -> None:
    needless = {
        module for module, needed in NEEDED_BY.items() if function[: -len("Function")] not in needed.split()
    }

    assert not modules_at_start(artifacts, function).intersection({*NEEDLESS, *needless})


def test_the_built_oauth_function_renders_a_page_from_its_templates(artifacts: Path) -> None:
    shown = "from helpdesk.accounts.oauth import pages; print(pages.user_code('/v1', 'csrf').text)"

    done = run(artifacts, "OauthFunction", f"import app; assert 'jinja2' not in sys.modules; {shown}")

    assert done.returncode == 0, done.stderr
    assert "<h1>Connect a device</h1>" in done.stdout


def test_the_oauth_function_does_not_import_modules_of_other_routes_at_start(artifacts: Path) -> None:
    assert not modules_at_start(artifacts, "OauthFunction").intersection(NEEDLESS_FOR_PAGES)


@cache
def size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_built_function_and_its_layers_fit_into_a_lambda(artifacts: Path, function: str) -> None:
    folders = [artifacts / function, *(layer.parent for layer in layers(artifacts, function))]

    assert sum(size(folder) for folder in folders) < UNPACKED_LIMIT_BYTES


def test_the_first_party_layer_holds_only_its_packages(artifacts: Path) -> None:
    layer = artifacts / "CoreLayer" / "python"

    assert sorted(package.name for package in layer.iterdir()) == ["helpdesk", "helpdesk_files"]
    assert not list(layer.rglob("test_*"))


def client_factories() -> dict[str, str]:
    """Return the functions of clients.py that make an AWS client, each with the service's name."""
    found: dict[str, str] = {}
    for function in ast.parse(CLIENTS.read_text(encoding="utf-8")).body:
        for call in ast.walk(function):
            if isinstance(function, ast.FunctionDef) and isinstance(call, ast.Call) and call.args:
                service = call.args[0]
                if ast.unparse(call.func) == "_client" and isinstance(service, ast.Constant):
                    found[function.name] = str(service.value)
    return found


def test_the_makefile_names_the_services_that_the_functions_call() -> None:
    makefile = (ROOT / "layers" / "dependencies" / "Makefile").read_text(encoding="utf-8")
    [services] = re.findall(r"^SERVICES := (.+)$", makefile, re.MULTILINE)

    assert services.split() == sorted(client_factories().values())


def test_the_layer_describes_the_services_that_the_functions_call_and_no_others(artifacts: Path) -> None:
    data = artifacts / "DependenciesLayer" / "python" / "botocore" / "data"

    described = sorted(path.name for path in data.iterdir() if path.is_dir())

    assert described == sorted(client_factories().values())


def test_every_aws_client_can_be_created_from_the_layers(artifacts: Path) -> None:
    factories = client_factories()
    program = f"""
import json
from helpdesk.platform import clients
made = {{name: getattr(clients, name)() for name in {list(factories)}}}
print(json.dumps({{name: client.meta.service_model.service_name for name, client in made.items()}}))"""

    done = run(artifacts, "MessagesFunction", program)

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == factories


@pytest.mark.parametrize("layer", ["DependenciesLayer", "CoreLayer"])
def test_every_module_of_a_layer_has_bytecode_that_needs_no_check(artifacts: Path, layer: str) -> None:
    package = artifacts / layer / "python"
    # PEP 552: the flags after the magic number are 1 for bytecode that is valid whatever the source's time is.
    valid = {
        path.parent.parent / f"{path.name.partition('.')[0]}.py"
        for path in package.rglob("*.cpython-313.pyc")
        if path.read_bytes()[4:8] == b"\x01\0\0\0"
    }

    assert sorted(set(package.rglob("*.py")) - valid) == []


def test_five_layers_depend_on_the_processor(artifacts: Path) -> None:
    every = {*LAYERS, "HttpClientLayer", "SearchEngineLayer", "SentenceVectorsLayer", "SignaturesLayer"}
    compiled = {
        path.relative_to(artifacts).parts[0] for layer in every for path in (artifacts / layer).rglob("*.so")
    }

    assert compiled == every - {"CoreLayer", "DependenciesLayer"}


@pytest.mark.parametrize("function", ["AgentWorkerFunction", "KnowledgeIndexerFunction"])
def test_a_function_with_the_layer_of_sentence_vectors_embeds_a_text(artifacts: Path, function: str) -> None:
    program = """
from helpdesk.search.embeddings.embedder import embedder
import app
assert "onnxruntime" not in sys.modules
print(embedder("").question("Where is my parcel?").shape)"""

    done = run(artifacts, function, program)

    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "(384,)"


@pytest.mark.parametrize("layer", sorted(trim.UNREAD))
def test_a_layer_is_without_what_no_function_reads(artifacts: Path, layer: str) -> None:
    assert trim.unread(artifacts / layer / "python", trim.UNREAD[layer]) == []


# The machine of an ELF file (e_machine), by the name that Lambda has for the processor.
MACHINES = {"arm64": 0xB7, "x86_64": 0x3E}


def added_packages() -> dict[str, list[str]]:
    """Return the folders that `sam build` installs with pip, the largest function's first, each with what it adds."""
    largest = [
        "layers/sentence_vectors",
        "layers/search_engine",
        "layers/compiled",
        "functions/agent_worker",
    ]
    others = [path.parent.relative_to(ROOT).as_posix() for path in DEPLOYED]
    known: set[str] = set()
    found: dict[str, list[str]] = {}
    for folder in dict.fromkeys([*largest, *others]):
        names = pins(ROOT / folder / "requirements.txt").keys()
        if folder != "layers/dependencies" and names - known:  # its Makefile takes pure Python alone
            found[folder] = sorted(names - known)
            known |= names
    return found


@pytest.mark.skipif(
    bool(effort.of(1, 0)), reason="make test-all runs it: it installs the wheels of another processor"
)
def test_each_folder_is_built_for_the_other_processor_and_the_largest_function_fits_into_a_lambda(
    artifacts: Path, tmp_path: Path
) -> None:
    [other] = MACHINES.keys() - {architecture()}
    sam.accept_every_glibc()
    for source in added_packages():
        target, scratch = tmp_path / source, tmp_path / "scratch" / source
        target.mkdir(parents=True)
        scratch.mkdir(parents=True)
        # What `sam build` calls, with the pinned wheels.
        LambdaBuilder("python", "pip", None).build(
            str(ROOT / source),
            str(target),
            str(scratch),
            str(ROOT / source / "requirements.txt"),
            runtime="python3.13",
            architecture=other,
        )
    built = [tmp_path / source for source in added_packages()]
    compiled = [path for folder in built for path in folder.rglob("*.so*") if path.is_file()]
    trimmed = trim.UNREAD["SentenceVectorsLayer"]

    # A new version may have other names.
    assert [pattern for pattern in trimmed if not trim.unread(built[0], (pattern,))] == []
    assert compiled
    assert {path.read_bytes()[18] for path in compiled} == {MACHINES[other]}
    folders = [*built[:4], artifacts / "DependenciesLayer", artifacts / "CoreLayer"]
    assert sum(size(folder) for folder in folders) < UNPACKED_LIMIT_BYTES


def test_libraries_of_a_few_functions_are_not_in_the_layer_of_all(artifacts: Path) -> None:
    present = {path.name for path in (artifacts / "DependenciesLayer" / "python").iterdir()}

    assert present.isdisjoint({"tantivy", "aiohttp", "moto", "ministack"})


def test_the_description_of_the_api_is_carried_only_by_the_functions_that_read_it(artifacts: Path) -> None:
    copies = {path.parent.name: path for path in artifacts.rglob("openapi.json")}

    assert copies.keys() == {"DocsFunction", "NotFoundFunction"}
    for copied in copies.values():
        assert not copied.is_symlink()
        assert copied.read_text() == (ROOT / "docs" / "openapi.json").read_text()
