"""`sam build`, only when a source changed, and one at a time: stacks, tests and people share the artifacts."""

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from samtranslator.yaml_helper import yaml_parse  # type: ignore[import-untyped]

from scripts import resources, trim
from scripts.local.progress import Problem, Progress
from scripts.local.settings import BUILDS, LOCAL, ROOT, TEMPLATE, architecture

BUILD_SECONDS = 600
ARCHIVES = BUILDS / "archives"

_ARTIFACTS = BUILDS / "artifacts"
_SOURCES = BUILDS / "sources"
# SAM CLI parses a template ten times in one command, and JSON forty times as fast as YAML.
_SOURCE_TEMPLATE = _SOURCES / "template.json"
_FOLDERS = ("functions", "layers", "template")
_FINGERPRINT = BUILDS / "fingerprint"
_LOG = BUILDS / "build.log"


def tool_environment() -> dict[str, str]:
    """Return SAM CLI's environment: this project's tools first, no AWS settings of the developer's, no telemetry.

    Nor what make hands on: variables of its command line, such as SERVICES=fake, would apply in the layers' Makefiles.
    """
    kept_out = ("AWS_", "SAM_CLI_", "MAKEFLAGS", "MAKEOVERRIDES", "MFLAGS")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(kept_out)}
    settings_folder = LOCAL / "sam"
    settings_folder.mkdir(parents=True, exist_ok=True)
    # SAM CLI asks the package index about newer versions once a week. Its version is pinned here.
    (settings_folder / "metadata.json").write_text(
        json.dumps({"telemetryEnabled": False, "lastVersionCheck": time.time()}), encoding="utf-8"
    )
    environment |= {
        "PATH": os.pathsep.join([str(ROOT / ".venv" / "bin"), environment.get("PATH", "/usr/bin:/bin")]),
        "SAM_CLI_TELEMETRY": "0",
        "SAM_CLI_ENABLE_LANGUAGE_EXTENSIONS": "1",
        "__SAM_CLI_APP_DIR": str(settings_folder),
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "AWS_EC2_METADATA_DISABLED": "true",
        "NO_PROXY": "127.0.0.1,localhost",
        "no_proxy": "127.0.0.1,localhost",
    }
    # Where the package index is a folder, pip prints the path of each wheel. SAM CLI takes that for a source and builds
    # it, with one more pip. A requirements.txt names all that it needs.
    environment |= {"PIP_QUIET": "1", "PIP_NO_DEPS": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    environment.pop("VIRTUAL_ENV", None)
    return environment


@contextlib.contextmanager
def built(progress: Progress) -> Iterator[tuple[Path, str]]:
    """Build what changed, and hold the lock against other builds while the artifacts are in use.

    Yields the folder of the artifacts (with their template.yaml) and the fingerprint of what they were built from.
    Errors: Problem, when the build fails.
    """
    BUILDS.mkdir(parents=True, exist_ok=True)
    with (BUILDS / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            progress.say("Waiting for another build or deployment to end.")
            fcntl.flock(lock, fcntl.LOCK_EX)
        if resources.write():
            progress.say("Written: template/generated/resources.json, from the parts that changed.")
        wanted = fingerprint()
        if _is_current(wanted):
            progress.say("Nothing to build: no source changed.")
        else:
            _build(progress, wanted)
        yield _ARTIFACTS, wanted


def fingerprint() -> str:
    """Return a digest of everything that goes into the artifacts."""
    digest = hashlib.sha256(architecture().encode())
    # The tool that builds is pinned in the second one.
    sources = [TEMPLATE, ROOT / "requirements" / "dev.txt", Path(trim.__file__)]
    for folder in _FOLDERS:
        sources += sorted(
            path for path in (ROOT / folder).rglob("*") if path.is_file() and "__pycache__" not in path.parts
        )
    for path in sources:
        content = path.read_bytes()
        digest.update(f"{path.relative_to(ROOT)}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


def _is_current(wanted: str) -> bool:
    try:
        return _FINGERPRINT.read_text(encoding="utf-8") == wanted and (_ARTIFACTS / "template.yaml").exists()
    except OSError:
        return False


def _build(progress: Progress, wanted: str) -> None:
    progress.say("Building functions and layers (the first time half a minute).")
    _FINGERPRINT.unlink(missing_ok=True)
    _copy_sources()
    command = [sys.executable, "-m", "scripts.sam", "build", "--cached", "--parallel"]
    command += ["--template-file", str(_SOURCE_TEMPLATE)]
    command += ["--build-dir", str(_ARTIFACTS), "--cache-dir", str(BUILDS / "cache")]
    command += ["--parameter-overrides", f"Architecture={architecture()}", "--region", "us-east-1"]
    with _LOG.open("w", encoding="utf-8") as log:
        try:
            done = subprocess.run(
                command,
                cwd=ROOT,
                env=tool_environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                timeout=BUILD_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise Problem(f"sam build did not end within {BUILD_SECONDS} s; its log: {_LOG}") from None
    if done.returncode != 0:
        # It notes what it had not yet installed, and the next build would leave that out.
        (BUILDS / "build.toml").unlink(missing_ok=True)
        raise Problem(f"sam build failed: {_last_error(_LOG)} (whole log: {_LOG})")
    trim.trim(_ARTIFACTS)
    _FINGERPRINT.write_text(wanted, encoding="utf-8")


def _copy_sources() -> None:
    """Copy what is built to a folder of its own, without bytecode.

    `sam build` lists a folder, then copies what it listed. A process that imports a module of it meanwhile, as tests do
    beside the build, writes its bytecode to a file with a temporary name, which is gone when the copy comes to it.
    """
    shutil.rmtree(_SOURCES, ignore_errors=True)
    for folder in _FOLDERS:
        shutil.copytree(ROOT / folder, _SOURCES / folder, ignore=shutil.ignore_patterns("__pycache__"))
    template = yaml_parse(TEMPLATE.read_text(encoding="utf-8"))
    _SOURCE_TEMPLATE.write_text(json.dumps(template), encoding="utf-8")


def _last_error(log: Path) -> str:
    lines = [
        line.strip()
        for line in log.read_text(encoding="utf-8", errors="replace").splitlines()
        if line.strip()
    ]
    errors = [line for line in lines if line.startswith(("Error", "Build Failed"))]
    return (errors or lines or ["it printed nothing"])[-1]
