"""Runs the always-on service in an environment of its own, and counts the CPU time of its parts."""

import asyncio
import contextlib
import os
import shutil
import socket
import sqlite3
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import aiohttp
from aiohttp import web
from standardwebhooks import Webhook

from benchmarks.recording import MESSAGE
from benchmarks.report import ROOT
from helpdesk.outbound import signing

HERE = Path(__file__).parent
ENVIRONMENT = ROOT / ".local" / "peers"
PACKAGES = Path(sysconfig.get_path("purelib", vars={"base": str(ENVIRONMENT)}))
PYTHON = str(ENVIRONMENT / "bin" / "python")
AT_ONCE = 4
SECRET_KEY = "sk_" + "0" * 32
HEADERS = {"authorization": f"Bearer {SECRET_KEY}"}
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Figures:
    """CPU seconds of one request and of one delivery: of the program, and of its database server."""

    request: float
    request_database: float
    delivery: float
    delivery_database: float


@dataclass(frozen=True)
class Database:
    """Where the service stores, where Celery queues, and the process ID of the server, if there is one."""

    url: str
    broker: str
    server: int | None = None


def install() -> None:
    """Make the environment that requirements.txt pins, when it's missing or the pins changed."""
    wanted, made = (folder / "requirements.txt" for folder in (HERE, ENVIRONMENT))
    if not made.exists() or made.read_bytes() != wanted.read_bytes():
        pip = [PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
        for command in (
            [sys.executable, "-m", "venv", "--clear", str(ENVIRONMENT)],
            [*pip, "--require-hashes", "--requirement", str(wanted)],
        ):
            subprocess.run(command, check=True, stdout=sys.stderr)
        shutil.copy(wanted, made)


@contextmanager
def sqlite() -> Iterator[Database]:
    """Give a database without a server; the queue has a file of its own."""
    with tempfile.TemporaryDirectory() as folder:
        with contextlib.closing(sqlite3.connect(f"{folder}/queue.db")) as queue:
            queue.execute("PRAGMA journal_mode=WAL")
        yield Database(f"sqlite:///{folder}/helpdesk.db", f"sqla+sqlite:///{folder}/queue.db")


@contextmanager
def postgresql() -> Iterator[Database]:
    """Start a PostgreSQL server with its default settings, which also has the queue."""
    user = "postgres" if os.geteuid() == 0 else None  # the server refuses to run as root
    with tempfile.TemporaryDirectory() as folder:
        if user:
            shutil.chown(folder, user)
        initialize = [
            "initdb",
            "--auth=trust",
            "--username=helpdesk",
            "--encoding=UTF8",
            "-D",
            f"{folder}/data",
        ]
        subprocess.run(initialize, check=True, cwd=folder, stdout=subprocess.DEVNULL, user=user)
        serve = ["postgres", "-D", f"{folder}/data", "-k", folder, "-c", "listen_addresses="]
        with subprocess.Popen(serve, cwd=folder, stderr=subprocess.DEVNULL, user=user) as server:
            try:
                for _ in range(200):
                    if Path(folder, ".s.PGSQL.5432").exists():
                        break
                    time.sleep(0.1)
                url = f"postgresql+psycopg://helpdesk@/postgres?host={folder}"
                yield Database(url, f"sqla+{url}", server.pid)
            finally:
                server.terminate()


async def measure(database: Database, *, celery: bool, count: int) -> Figures:
    """Send `count` messages to the service, then let it deliver their events. Takes at most five minutes."""
    settings = {"DATABASE_URL": database.url, "PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"}
    work = [PYTHON, "worker.py"]
    if celery:
        settings["BROKER_URL"] = database.broker
        work = [PYTHON, "-W", "ignore", "-m", "celery", "-A", "worker", "worker", "--pool=threads"]
        work += [f"--concurrency={AT_ONCE}", "--without-gossip", "--without-mingle", "--without-heartbeat"]
    api = [PYTHON, "-m", "uvicorn", "api:app", "--log-level=warning", "--port", str(port := _free_port())]
    address, secret = f"http://127.0.0.1:{port}/v1", signing.standard_secret()
    arrivals: asyncio.Queue[None] = asyncio.Queue()

    async def receive(request: web.Request) -> web.Response:
        Webhook(secret).verify(await request.read(), dict(request.headers))
        arrivals.put_nowait(None)
        return web.Response()

    async def post(number: int) -> None:
        body = MESSAGE | {"session": f"visitor-{number % 20}"}
        async with client.post(f"{address}/messages", json=body, headers=HEADERS) as response:
            response.raise_for_status()

    async with asyncio.timeout(300), _receiving(receive) as url, aiohttp.ClientSession() as client:
        create = [PYTHON, "tables.py", SECRET_KEY, url, secret]
        subprocess.run(create, cwd=HERE, env=settings, check=True)  # noqa: ASYNC221 - nothing runs yet
        warm = max(1, count // 10)
        with _running(api, settings) as served:
            await _until_answering(client, address)
            await _several(post, warm)
            of_requests = _Meter(served, database.server)
            await _several(post, count)
            request = of_requests.each(count)
            with _running(work, settings) as working:
                for _ in range(warm):
                    await arrivals.get()
                of_deliveries, left = _Meter(working, database.server), count - arrivals.qsize()
                for _ in range(count):
                    await arrivals.get()
                await asyncio.sleep(0.1)  # the last outcomes are recorded
                delivery = of_deliveries.each(left)
            async with client.get(f"{address}/deliveries/count") as response:
                if (counted := await response.json()) != {"delivered": warm + count}:
                    raise RuntimeError(f"not every event is delivered: {counted}")
    return Figures(*request, *delivery)


async def _several(work: Callable[[int], Awaitable[None]], count: int) -> None:
    """Do the work `count` times, a few at once."""
    numbers = iter(range(count))

    async def some() -> None:
        for number in numbers:
            await work(number)

    await asyncio.gather(*(some() for _ in range(AT_ONCE)))


@asynccontextmanager
async def _receiving(receive: Callable[[web.Request], Awaitable[web.Response]]) -> AsyncIterator[str]:
    """Run a receiver in this process, whose CPU time isn't counted; give its URL."""
    app = web.Application()
    app.router.add_post("/hook", receive)
    runner = web.AppRunner(app)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", port := _free_port()).start()
        yield f"http://127.0.0.1:{port}/hook"
    finally:
        await runner.cleanup()


@contextmanager
def _running(command: Sequence[str], settings: Mapping[str, str]) -> Iterator[int]:
    """Run a part of the service; give its process ID."""
    with (ENVIRONMENT / "log.txt").open("a") as output:
        process = subprocess.Popen(command, cwd=HERE, env=settings, stdout=output, stderr=output)
    with process:
        try:
            yield process.pid
        finally:
            process.terminate()


async def _until_answering(client: aiohttp.ClientSession, address: str) -> None:
    while True:
        with contextlib.suppress(aiohttp.ClientConnectionError):
            async with client.get(f"{address}/deliveries/count"):
                return
        await asyncio.sleep(0.05)


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


class _Meter:
    """Counts the CPU time of processes from now on."""

    def __init__(self, *processes: int | None) -> None:
        self._processes = processes
        self._before = [_cpu_seconds(process) for process in processes]

    def each(self, count: int) -> list[float]:
        """Return each process's CPU seconds, divided by a number of pieces of work."""
        now = [_cpu_seconds(process) for process in self._processes]
        return [(end - start) / count for start, end in zip(self._before, now, strict=True)]


def _cpu_seconds(process: int | None) -> float:
    """Return the CPU time of a process and its children, those that ended included, as Linux counts it."""
    ticks = 0
    for path in Path("/proc").glob("[0-9]*/stat") if process else ():
        with contextlib.suppress(OSError):  # it has ended
            fields = path.read_text(encoding="utf-8").rpartition(")")[2].split()
            if int(path.parent.name) == process:
                ticks += sum(map(int, fields[11:15]))
            elif int(fields[1]) == process:
                ticks += sum(map(int, fields[11:13]))
    return ticks / _TICKS
