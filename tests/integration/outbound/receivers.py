"""Receivers on loopback with the behaviour that a test sets, and their certificates."""

import asyncio
import datetime as dt
import ipaddress
import socket
import ssl
import struct
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

type Behaviour = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


WARM_UP = b"warm-up"
"""The body of a request that a receiver answers by itself and does not count (senders.Sender.plant)."""


@dataclass
class Receiver:
    """A listening receiver and what it has seen, apart from warm-ups.

    connections  those on which anything happened
    accepted     all of them
    warming_up   how many of the next connections begin with a warm-up
    """

    port: int = 0
    host: str = "127.0.0.1"
    tls: bool = False
    connections: int = 0
    accepted: int = 0
    warming_up: int = 0
    requests: list[bytes] = field(default_factory=list)
    addresses: list[str] = field(default_factory=list)
    server_names: list[str | None] = field(default_factory=list)

    def url(self, host: str = "127.0.0.1", scheme: str = "http", path: str = "/hook") -> str:
        return f"{scheme}://{host}:{self.port}{path}"


LISTENING: dict[str, Receiver] = {}
"""By port; the first of a port on several addresses."""


@asynccontextmanager
async def receiver(
    behaviour: Behaviour,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    tls: ssl.SSLContext | None = None,
    read_request: bool = True,
) -> AsyncIterator[Receiver]:
    """Listen on loopback; give each connection to `behaviour`, after reading its request by default."""
    seen = Receiver(host=host, tls=tls is not None)
    tasks: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen.connections += 1
        seen.accepted += 1
        seen.addresses.append(writer.get_extra_info("sockname")[0])
        try:
            request = None
            if seen.warming_up:
                seen.warming_up -= 1
                request = await next_request(reader)
                if request.endswith(WARM_UP):
                    request = None
                    await _warm_up(seen, reader, writer)
            if read_request:
                seen.requests.append(request or await next_request(reader))
            await behaviour(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError, ssl.SSLError):
            pass  # the sender hung up, as several tests want it to
        finally:
            writer.transport.abort()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(serve(reader, writer))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    if tls is not None:
        tls.sni_callback = lambda _socket, name, _context: seen.server_names.append(name)
    server = await asyncio.start_server(accept, host, port, ssl=tls)
    seen.port = server.sockets[0].getsockname()[1]
    LISTENING.setdefault(str(seen.port), seen)
    try:
        yield seen
    finally:
        LISTENING.pop(str(seen.port), None)
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        with suppress(TimeoutError):
            await asyncio.wait_for(server.wait_closed(), 1)


async def _warm_up(seen: Receiver, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer a warm-up and wait for what follows it on the connection, which counts from then on."""
    address = seen.addresses.pop()
    seen.connections -= 1
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok")
    first = await reader.readexactly(1)
    reader._buffer[:0] = first  # type: ignore[attr-defined]
    seen.connections += 1
    seen.addresses.append(address)


async def next_request(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readuntil(b"\r\n\r\n")
    length = 0
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    return head + await reader.readexactly(length)


def answers(raw: bytes) -> Behaviour:
    """Write `raw` and close."""

    async def behave(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(raw)
        await writer.drain()
        writer.close()
        await writer.wait_closed()

    return behave


def answers_and_waits(raw: bytes) -> Behaviour:
    """Write `raw` and keep the connection open for as long as the sender does."""

    async def behave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(raw)
        await writer.drain()
        await reader.read()

    return behave


def repeats(first: bytes, then: bytes, *, pause_seconds: float = 0) -> Behaviour:
    """Write `first`, then `then` again and again until the sender hangs up."""

    async def behave(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(first)
        while not writer.is_closing():
            writer.write(then)
            await writer.drain()
            await asyncio.sleep(pause_seconds)

    return behave


def drips(raw: bytes, *, pause_seconds: float) -> Behaviour:
    """Write `raw` byte by byte with a pause after each, and close."""

    async def behave(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for number in range(len(raw)):
            writer.write(raw[number : number + 1])
            await writer.drain()
            await asyncio.sleep(pause_seconds)
        writer.close()
        await writer.wait_closed()

    return behave


def resets(raw: bytes) -> Behaviour:
    """Write `raw` and reset the connection instead of closing it."""

    async def behave(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(raw)
        await writer.drain()
        await asyncio.sleep(0.05)  # lets it arrive: a reset overtakes what is still under way
        lingers_not = struct.pack("ii", 1, 0)
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, lingers_not)
        writer.transport.abort()

    return behave


def waits() -> Behaviour:
    """Do nothing at all, not even read, for as long as the test lasts."""

    async def behave(_: asyncio.StreamReader, __: asyncio.StreamWriter) -> None:
        await asyncio.Event().wait()

    return behave


@contextmanager
def full_listener(host: str = "127.0.0.1", port: int = 0) -> Iterator[int]:
    """Give the port of a listener whose queue of connections is full: the system drops what comes then."""
    with ExitStack() as stack:
        listener = stack.enter_context(socket.socket())
        listener.bind((host, port))
        listener.listen(0)
        for _ in range(4):
            caller = stack.enter_context(socket.socket())
            caller.setblocking(False)
            caller.connect_ex(listener.getsockname())
        yield listener.getsockname()[1]


@dataclass(frozen=True)
class Authority:
    """A certificate authority of the tests, and a place to write what it signs."""

    key: ec.EllipticCurvePrivateKey
    certificate: x509.Certificate
    folder: Path

    @classmethod
    def make(cls, folder: Path) -> "Authority":
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Test authority")])
        certificate = (
            _builder(name, name, key, days=10)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(_key_usage(signs_certificates=True), critical=True)
            .sign(key, hashes.SHA256())
        )
        return cls(key, certificate, folder)

    def trusting(self) -> ssl.SSLContext:
        """Return the settings of a sender that trusts this authority and no other."""
        pem = self.certificate.public_bytes(serialization.Encoding.PEM).decode()
        return ssl.create_default_context(cadata=pem)

    def serving(self, host: str, *, days: int = 10, self_signed: bool = False) -> ssl.SSLContext:
        """Return the settings of a receiver with a certificate for `host`; expired when `days` is negative."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
        issuer = subject if self_signed else self.certificate.subject
        signer = key if self_signed else self.key
        certificate = (
            _builder(subject, issuer, key, days=days)
            .add_extension(x509.SubjectAlternativeName([_alternative_name(host)]), critical=False)
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key()), critical=False
            )
            .sign(signer, hashes.SHA256())
        )
        chain = self.folder / f"{x509.random_serial_number()}.pem"
        chain.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
            + certificate.public_bytes(serialization.Encoding.PEM)
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(chain)
        return context


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, *, days: int
) -> x509.CertificateBuilder:
    now = dt.datetime.now(dt.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=20))
        .not_valid_after(now + dt.timedelta(days=days))
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )


def _alternative_name(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def _key_usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=False,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        encipher_only=False,
        decipher_only=False,
    )
