"""Every built function starts with nothing on the path but what AWS would give it: its artifact and its layers.

The emulator runs functions in this project's own environment, where a package missing from a layer goes unnoticed.
"""

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.function_start import functions
from scripts.local import build
from scripts.local.progress import Progress
from tests.support.template import ROOT, template

FUNCTIONS = sorted(
    name
    for name, resource in template()["Resources"].items()
    if isinstance(resource, dict) and resource.get("Type") == "AWS::Serverless::Function"
)
# The variables without which a function refuses to start; values that name nothing.
ENVIRONMENT = {
    "TABLE_NAME": "none",
    "KNOWLEDGE_BUCKET": "none",
    "SEARCH_BUCKET": "none",
    "DELIVERY_QUEUE_URL": "http://127.0.0.1:9/none",
    "RETRY_QUEUE_URL": "http://127.0.0.1:9/none",
    "AGENT_QUEUE_URL": "http://127.0.0.1:9/none.fifo",
    "KNOWLEDGE_QUEUE_URL": "http://127.0.0.1:9/none.fifo",
    "MAIL_QUEUE_URL": "http://127.0.0.1:9/none.fifo",
    "AWS_DEFAULT_REGION": "eu-west-1",
    "AWS_LAMBDA_FUNCTION_NAME": "none",
    "POWERTOOLS_SERVICE_NAME": "none",
}
# What a cold start may not exceed: an artifact with its layers is unpacked to at most 250 MB.
UNPACKED_LIMIT_BYTES = 250 * 1024 * 1024

pytestmark = [pytest.mark.build, pytest.mark.xdist_group("build")]


@pytest.fixture(scope="session")
def artifacts() -> Path:
    # The lock is let go at once: others of this run build too, and the sources do not change under it.
    with build.built(Progress()) as (folder, _):
        return folder


def layers(artifacts: Path) -> list[Path]:
    return [artifacts / name / "python" for name in ("DependenciesLayer", "CoreLayer")]


def run(artifacts: Path, function: str, program: str) -> subprocess.CompletedProcess[str]:
    path = [str(artifacts / function), *map(str, layers(artifacts))]
    # -I and -S leave the standard library: no site-packages, no .pth files, no variables, not the working folder.
    return subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path[:0] = {path!r}\n{program}"],
        env=ENVIRONMENT,
        cwd="/",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_built_function_imports_from_its_artifact_and_layers_alone(artifacts: Path, function: str) -> None:
    done = run(artifacts, function, "import app; assert callable(app.handler)")

    assert done.returncode == 0, done.stderr


# What no function that answers the API has a use for when it starts (docs/decisions/0030).
NEEDLESS = ("aiohttp", "asyncio", "aws_lambda_powertools.event_handler", "boto3", "tantivy")
# Of our own what the function of OAuth's pages has none for: it shows and accepts invitations, and asks for names.
NEEDLESS_FOR_PAGES = (
    "helpdesk.events.outbox",
    "helpdesk.invites.jobs",
    "helpdesk.invites.schemas",
    "helpdesk.invites.service",
    "helpdesk.organizations.schemas",
)


def imported(artifacts: Path, function: str, modules: tuple[str, ...]) -> str:
    """Return those of the modules that starting a function imports, as the list is printed."""
    done = run(artifacts, function, f"import app; print([name for name in {modules} if name in sys.modules])")
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("function", sorted(name for name, serves in functions().items() if serves))
def test_the_start_of_a_function_that_answers_the_api_imports_nothing_needless(
    artifacts: Path, function: str
) -> None:
    assert imported(artifacts, function, NEEDLESS) == "[]"


def test_the_start_of_oauths_function_leaves_out_what_only_other_routes_need(artifacts: Path) -> None:
    assert imported(artifacts, "OauthFunction", NEEDLESS_FOR_PAGES) == "[]"


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_built_function_and_its_layers_fit_into_a_lambda(artifacts: Path, function: str) -> None:
    folders = [artifacts / function, *(layer.parent for layer in layers(artifacts))]

    size = sum(path.stat().st_size for folder in folders for path in folder.rglob("*") if path.is_file())

    assert size < UNPACKED_LIMIT_BYTES


def test_the_first_party_layer_holds_the_package_and_nothing_else(artifacts: Path) -> None:
    [package] = (artifacts / "CoreLayer" / "python").iterdir()

    assert package.name == "helpdesk"
    assert not list(package.rglob("test_*"))


def test_libraries_of_a_few_functions_are_not_in_the_layer_of_all(artifacts: Path) -> None:
    present = {path.name for path in (artifacts / "DependenciesLayer" / "python").iterdir()}

    assert present.isdisjoint({"tantivy", "aiohttp", "moto", "ministack"})


def test_the_description_of_the_api_is_carried_only_by_the_function_that_serves_it(artifacts: Path) -> None:
    carriers = {path.parent.name for path in artifacts.rglob("openapi.json")}
    [copied] = artifacts.rglob("openapi.json")

    assert carriers == {"DocsFunction"}
    assert not copied.is_symlink()
    assert copied.read_text() == (ROOT / "docs" / "openapi.json").read_text()
