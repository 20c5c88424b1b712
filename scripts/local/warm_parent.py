"""A process that has imported the libraries of a set of layers, and forks into the processes of functions.

`scripts/local/forking.py` starts it as a program with the layers' folders. Each byte on its socket comes with the three
standard streams of a process. It forks and answers with the child's id and a newline. The child reads a JSON line from
its standard input with the file, the folder and the environment of a program. It runs that like a new interpreter, in
which only the libraries are imported.

It imports nothing of the project, which a function would then find imported.
"""

import gc
import importlib
import json
import os
import signal
import socket
import sys
from pathlib import Path
from types import ModuleType

LIBRARIES = (
    "aws_lambda_powertools",
    "botocore.client",
    "botocore.httpsession",
    "botocore.session",
    "msgspec",
    "pydantic.alias_generators",
    "pydantic.main",
    "pydantic.plugin._schema_validator",
    "pydantic.types",
    "secrets",
)
"""What the functions import of their layers at start. No module of them reads a function's environment on import."""

PACKAGES = ("aws_lambda_powertools", "botocore", "msgspec", "pydantic", "pydantic_core")
"""What they are in. Layers without these, such as those that only some functions have, are looked into after a fork."""


def main() -> None:
    """Import the libraries, then fork for each request until the socket closes."""
    control = socket.socket(fileno=int(sys.argv[1]))
    original = sys.path[1:]  # the first is this file's folder
    sys.path[:] = [*sys.argv[2:], *original]
    for name in LIBRARIES:
        importlib.import_module(name)
    sys.path[:] = original
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the system forgets children that ended
    gc.collect()
    gc.freeze()  # a child's collections leave the shared pages alone
    while True:
        request, streams, _, _ = socket.recv_fds(control, 1, 3)
        if not request:
            return
        child = os.fork()
        if child == 0:
            control.close()
            _become(streams)
            return
        for stream in streams:
            os.close(stream)
        control.sendall(f"{child}\n".encode())


def _become(streams: list[int]) -> None:
    """Continue as the program that the first line of the new standard input names."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    program = json.loads(sys.stdin.readline())
    os.environ.clear()
    os.environ.update(program["environment"])
    os.chdir(program["folder"])
    file = Path(program["file"])
    sys.argv[:] = [program["file"]]
    sys.path.insert(0, str(file.parent))
    main_module = ModuleType("__main__")
    main_module.__file__ = program["file"]
    sys.modules["__main__"] = main_module
    # Open for as long as the process runs: it shows which function this is.
    with file.open(encoding="utf-8") as source:
        exec(compile(source.read(), file, "exec"), vars(main_module))  # noqa: S102 - it is a program


if __name__ == "__main__":
    main()
