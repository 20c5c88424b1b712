"""`sam local` on the same template: functions run in containers, everything else in the emulator.

A container cannot reach this machine's loopback address, and the emulator listens on no other. Docker Desktop has a
name for the host. On Linux a small relay listens on Docker's bridge, an address of this machine only, while `sam local`
runs.
"""

import errno
import json
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from ipaddress import ip_network
from pathlib import Path

from helpdesk.platform.settings import ALL_QUEUES
from scripts.local import build, stack
from scripts.local.deployment import client
from scripts.local.progress import Problem, Progress
from scripts.local.settings import ACCOUNT, HOST, REGION, ROOT, STACK_NAME, StackSettings

_DOCKER_SECONDS = 20
_RELAYED_BYTES = 65_536
_PLACEHOLDER = "svc_key_replace-with-the-key-that-make-dev-prints"


def function_of(event: str) -> str:
    """Return the logical id of a sample's function. The sample's name is that of its folder, and what calls it."""
    name, _, _ = event.rpartition("-")
    return "".join(part.capitalize() for part in name.split("-")) + "Function"


FUNCTIONS = {event.stem: function_of(event.stem) for event in sorted((ROOT / "events").glob("*.json"))}
"""The function that each sample in events/ is for."""


def start_api(settings: StackSettings, api_port: int, flags: str, progress: Progress) -> None:
    """Run `sam local start-api` beside the local stack until Ctrl-C. Errors: Problem."""
    with _prepared(settings, progress) as (options, described):
        key = described["secret_key"]
        print(
            f"""
The API in containers, on the data of the local stack:

  curl -s http://{HOST}:{api_port}/v1/messages -H 'authorization: Bearer {key}' \\
    -d '{{"session": "visitor-0001", "body": "How are webhooks signed?"}}'

The first request to each function starts its container. Ctrl-C ends it; make down stops the stack beside it.
""",
            flush=True,
        )
        command = ["sam", "local", "start-api", *options, "--host", HOST, "--port", str(api_port)]
        _run(command + shlex.split(flags))


def invoke(settings: StackSettings, event: Path | None, flags: str, progress: Progress) -> None:
    """Run `sam local invoke` once with a file of events/, the demo organization's key filled in. Errors: Problem."""
    if event is None or event.stem not in FUNCTIONS:
        raise Problem(f"EVENT must be one of {', '.join(f'events/{name}.json' for name in FUNCTIONS)}.")
    with _prepared(settings, progress) as (options, described), tempfile.TemporaryDirectory() as folder:
        filled = Path(folder) / event.name
        text = event.read_text(encoding="utf-8").replace(_PLACEHOLDER, described["secret_key"])
        filled.write_text(text, encoding="utf-8")
        _run(
            [
                "sam",
                "local",
                "invoke",
                FUNCTIONS[event.stem],
                *options,
                "--event",
                str(filled),
                *shlex.split(flags),
            ]
        )


@contextmanager
def _prepared(settings: StackSettings, progress: Progress) -> Iterator[tuple[list[str], dict[str, str]]]:
    """Bring the stack up; yield the options of every `sam local` command, and the stack's description."""
    bridge = _bridge_address()
    described = stack.up(settings, progress)
    host = bridge or "host.docker.internal"
    with build.built(progress) as (artifacts, _):
        template = artifacts / "template.yaml"
    variables = settings.folder / "sam-local.json"
    variables.write_text(
        json.dumps({"Parameters": _variables(settings, f"http://{host}:{settings.port}")}, indent=2),
        encoding="utf-8",
    )
    variables.chmod(0o600)
    parameters = shlex.join(
        f"{name}={value}" for name, value in settings.template_parameters().items() if value
    )
    options = ["--template", str(template), "--env-vars", str(variables), "--region", REGION]
    options += ["--parameter-overrides", parameters]
    with _relay(bridge, settings.port):
        yield options, described


def _variables(settings: StackSettings, endpoint_url: str) -> dict[str, str]:
    """Return what `sam local` does not know: the deployed resources' names and the emulator's address."""
    described = client("cloudformation", settings).describe_stacks(StackName=STACK_NAME)["Stacks"][0]
    outputs = {output["OutputKey"]: output["OutputValue"] for output in described["Outputs"]}
    return {
        "LOCAL_ENDPOINT_URL": endpoint_url,
        "TABLE_NAME": outputs["TableName"],
        "KNOWLEDGE_BUCKET": outputs["KnowledgeBucketName"],
        "FILES_BUCKET": outputs["FilesBucketName"],
        "SEARCH_BUCKET": outputs["SearchBucketName"],
        "DEAD_LETTERS_URL": outputs["FanoutDeadLettersUrl"],
        "FACTS_DEAD_LETTERS_URL": outputs["FactsDeadLettersUrl"],
        **{variable: outputs[_output(variable)] for variable in ALL_QUEUES},
    }


def _output(variable: str) -> str:
    """Return the template's output for a queue's variable: DELIVERY_QUEUE_URL, DeliveryQueueUrl."""
    return "".join(word.capitalize() for word in variable.split("_"))


def _bridge_address() -> str | None:
    """Return Docker's bridge address on this machine; None when Docker runs in a virtual machine."""
    fields = "{{(index .IPAM.Config 0).Gateway}} {{(index .IPAM.Config 0).Subnet}}"
    command = ["docker", "network", "inspect", "bridge", "--format", fields]
    try:
        asked = subprocess.run(command, capture_output=True, text=True, timeout=_DOCKER_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        asked = None
    if asked is None or asked.returncode != 0:
        raise Problem("Docker does not answer. Install and start it; `make dev` works without it.")
    if sys.platform != "linux":
        return None
    *gateway, subnet = asked.stdout.split()
    # Without a configured gateway, Docker uses the first address of the subnet.
    return gateway[0] if gateway else str(next(ip_network(subnet).hosts()))


@contextmanager
def _relay(bridge: str | None, port: int) -> Iterator[None]:
    """Forward connections from Docker's bridge to the emulator while the block runs."""
    if bridge is None:
        yield
        return
    try:
        listener = socket.create_server((bridge, port))
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            yield  # the relay of another `make sam-local` is there already
            return
        raise Problem(f"Cannot listen on Docker's bridge {bridge}:{port} ({error.strerror}).") from None
    with closing(listener):
        threading.Thread(target=_accept, args=(listener, port), daemon=True).start()
        yield


def _accept(listener: socket.socket, port: int) -> None:
    while True:
        try:
            near, _ = listener.accept()
        except OSError:
            return  # closed: the block is over
        far = socket.create_connection((HOST, port))
        for source, sink in ((near, far), (far, near)):
            threading.Thread(target=_pump, args=(source, sink), daemon=True).start()


def _pump(source: socket.socket, sink: socket.socket) -> None:
    try:
        while chunk := source.recv(_RELAYED_BYTES):
            sink.sendall(chunk)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        sink.close()


def _run(command: list[str]) -> None:
    environment = build.tool_environment() | ACCOUNT | {"AWS_DEFAULT_REGION": REGION}
    process = subprocess.Popen(command, cwd=ROOT, env=environment)
    try:
        status = process.wait()
    except KeyboardInterrupt:
        process.send_signal(signal.SIGINT)
        process.wait()
        return
    if status != 0:
        raise Problem(f"sam local ended with {status}; what it says is above.")
