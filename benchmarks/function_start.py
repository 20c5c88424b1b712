"""The CPU time of starting each built function, over importing boto3 and making one DynamoDB client."""

import compileall
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.report import ROOT, Section, Target
from scripts.local import build
from scripts.local.progress import Progress
from tests.support.template import template

LAYERS = ("DependenciesLayer", "CompiledLayer", "CoreLayer")
"""The layers of every function."""
TITLE = "Start of a function"
LIMIT = 1.6
LEAST_ROUNDS, MOST_ROUNDS = 2, 8
STABLE = 0.02
"""How far the two least disturbed starts of a function may be apart for no more of them to be needed."""

TEXT = f"""What `sam build` made, in a clean interpreter (`-I -S`: the standard library, the artifact and its
layers, nothing else), bytecode compiled beforehand on both sides. A function's start is `import app` and its
DynamoDB client; the base is `import boto3` and a DynamoDB client, from the same layer. CPU time of the process
behind the interpreter's own start, read after the import and after the client; the interpreters take turns, one
of each in a round, and the least disturbed start of each counts. A function is started until two of its starts are
within {STABLE:.0%}, at most {MOST_ROUNDS} times; the base in every round. The second ratio leaves the function's client
out. Targets are for the functions that answer the API: at most {LIMIT}."""

_BASE = ("import boto3", "boto3.client('dynamodb')")
_FUNCTION = ("import app", "from helpdesk.platform import clients; clients.dynamodb()")
_ENVIRONMENT = {
    "AWS_DEFAULT_REGION": "eu-west-1",
    "AWS_LAMBDA_FUNCTION_NAME": "benchmark",
    "AWS_ACCESS_KEY_ID": "benchmark",
    "AWS_SECRET_ACCESS_KEY": "benchmark",
    "POWERTOOLS_SERVICE_NAME": "benchmark",
    "STAGE": "benchmark",
}

_PROGRAM = """import sys, time
sys.path[:0] = {path!r}
started = time.process_time()
{load}
loaded = time.process_time()
{connect}
print(loaded - started, time.process_time() - started)"""


def run(*, tiny: bool = False) -> Section:
    """Measure."""
    with tempfile.TemporaryDirectory() as folder:
        artifacts = _compiled_artifacts(Path(folder))
        names = functions()
        if tiny:
            names = dict(list(names.items())[:1])
        measured = _take_turns(artifacts, names, rounds=1 if tiny else MOST_ROUNDS)
    least = {name: [min(seconds) for seconds in zip(*pairs, strict=True)] for name, pairs in measured.items()}
    base = least[""][1]
    section = Section(TITLE, TEXT, ("Function", "CPU", "over the base", "import alone, over the base"))
    section.rows.append(("the base", f"{base * 1_000:.0f} ms", "1.00", ""))
    for name, serves_api in names.items():
        alone, whole = least[name]
        section.rows.append((name, f"{whole * 1_000:.0f} ms", f"{whole / base:.2f}", f"{alone / base:.2f}"))
        if serves_api:
            section.targets.append(Target(f"Start of {name}", whole / base, LIMIT))
    return section


def functions() -> dict[str, bool]:
    """Return the names of the built functions, and whether they answer the API."""
    found: dict[str, bool] = {}
    for name, resource in template()["Resources"].items():
        if isinstance(resource, dict) and resource.get("Type") == "AWS::Serverless::Function":
            app = ROOT / resource["Properties"]["CodeUri"] / "app.py"
            found[name] = (
                re.search("^from helpdesk.api.routing.api", app.read_text(encoding="utf-8"), re.MULTILINE)
                is not None
            )
    return dict(sorted(found.items(), key=lambda entry: (not entry[1], entry[0])))


def layers_of(function: str) -> list[str]:
    """Return the names of the layers that a function has."""
    own = template()["Resources"][function]["Properties"].get("Layers", [])
    return [*LAYERS, *(layer["Ref"] for layer in own)]


def _compiled_artifacts(folder: Path) -> Path:
    with build.built(Progress()) as (built, _):
        shutil.copytree(built, folder, dirs_exist_ok=True)
    compileall.compile_dir(folder, quiet=2, workers=1)
    return folder


def _take_turns(
    artifacts: Path, names: dict[str, bool], *, rounds: int
) -> dict[str, list[tuple[float, float]]]:
    """Return by function, and by "" for the base, the seconds until the import and until the client of each round.

    A function whose least disturbed starts agree takes no more turns.
    """
    measured: dict[str, list[tuple[float, float]]] = {name: [] for name in ("", *names)}
    for _ in range(rounds + 1):  # the first fills the disk's cache
        waiting = [name for name in names if not _is_stable(measured[name])]
        for name in ("", *waiting) if waiting else ():
            measured[name].append(_seconds(artifacts, name))
    return measured


def _is_stable(starts: list[tuple[float, float]]) -> bool:
    if len(starts) <= LEAST_ROUNDS:
        return False
    least, second = sorted(whole for _, whole in starts)[:2]
    return second <= least * (1 + STABLE)


def _seconds(artifacts: Path, name: str) -> tuple[float, float]:
    path = [str(artifacts / layer / "python") for layer in (layers_of(name) if name else LAYERS)]
    if name:
        path.insert(0, str(artifacts / name))
    load, connect = _FUNCTION if name else _BASE
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", _PROGRAM.format(path=path, load=load, connect=connect)],
        env=_environment(name),
        cwd="/",
        capture_output=True,
        text=True,
        check=True,
    )
    loaded, connected = done.stdout.split()
    return float(loaded), float(connected)


def _environment(name: str) -> dict[str, str]:
    """Return an environment with every variable that the template gives a function, as far as it has a value there."""
    if not name:
        return _ENVIRONMENT
    described = template()
    function = described["Resources"][name]["Properties"]
    variables = described["Globals"]["Function"]["Environment"]["Variables"]
    variables = variables | function.get("Environment", {}).get("Variables", {})

    def text(value: Any) -> str:
        if isinstance(value, dict):
            return str(described["Parameters"].get(value.get("Ref"), {}).get("Default", "benchmark"))
        return str(value)

    return {key: text(value) for key, value in variables.items()} | _ENVIRONMENT
