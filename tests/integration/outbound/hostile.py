"""Every hostile or odd receiver that the sender is tried against, with the outcome that an attempt at it has.

The rule (Specification: Events, Delivery and retries; decision 0050): success is a status line of 2xx with its headers
within the deadline, whatever the body. Every other outcome is a failure that says what it was.
"""

import gzip
from dataclasses import dataclass

from helpdesk.outbound.outcome import Failure
from tests.integration.outbound.receivers import (
    Behaviour,
    answers,
    answers_and_waits,
    drips,
    repeats,
    resets,
    waits,
)

_BOMB = gzip.compress(bytes(100_000_000), 1)
HEAD = b"HTTP/1.1 200 OK\r\n"
CHUNKED = HEAD + b"transfer-encoding: chunked\r\n\r\n"
INTERIM = b"HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n"
OK = HEAD + b"content-length: 2\r\n\r\nok"
METADATA = b"http://169.254.169.254/latest/meta-data/"


@dataclass(frozen=True)
class Hostile:
    """A receiver, and the outcome of an attempt at it.

    slow_body  whether its body is read until the time for that is over
    silent     whether it ends the connection without a byte, so that an attempt on a kept one is made once more
    """

    name: str
    behaviour: Behaviour
    status: int | None
    error: Failure | None
    read_request: bool = True
    slow_body: bool = False
    silent: bool = False

    @property
    def held(self) -> bool:
        return self.error is Failure.TIMEOUT

    def __str__(self) -> str:
        return self.name


def _succeeds(name: str, raw: bytes, status: int = 200) -> Hostile:
    return Hostile(name, answers(raw), status, None)


def _fails(name: str, raw: bytes, status: int, error: Failure = Failure.STATUS) -> Hostile:
    return Hostile(name, answers_and_waits(raw), status, error)


def _is_no_answer(name: str, raw: bytes) -> Hostile:
    return Hostile(name, answers_and_waits(raw), None, Failure.PROTOCOL_ERROR)


def _has_a_broken_body(name: str, raw: bytes) -> Hostile:
    return Hostile(name, answers_and_waits(raw), 200, None)


def _has_a_slow_body(name: str, behaviour: Behaviour, status: int) -> Hostile:
    error = None if status == 200 else Failure.STATUS
    return Hostile(name, behaviour, status, error, slow_body=True)


def _is_cut(name: str, behaviour: Behaviour, *, silent: bool = False) -> Hostile:
    return Hostile(name, behaviour, None, Failure.INCOMPLETE, silent=silent)


def _is_cut_in_its_body(name: str, behaviour: Behaviour, status: int) -> Hostile:
    return Hostile(name, behaviour, status, None if status == 200 else Failure.STATUS)


def _holds(name: str, behaviour: Behaviour, *, read_request: bool = True) -> Hostile:
    return Hostile(name, behaviour, None, Failure.TIMEOUT, read_request)


HOLDING = [
    _holds("never answers", answers_and_waits(b"")),
    _holds("never reads", waits(), read_request=False),
    _holds("drips its status line", drips(OK, pause_seconds=0.2)),
    _holds("drips a header for ever", repeats(HEAD + b"x: ", b"a", pause_seconds=0.02)),
    _holds("drips headers for ever", repeats(HEAD, b"x: a\r\n", pause_seconds=0.02)),
    _holds("drips interim answers", repeats(b"", b"HTTP/1.1 102 Processing\r\n\r\n", pause_seconds=0.02)),
    _holds("drips empty lines before its answer", repeats(b"", b"\r\n", pause_seconds=0.02)),
    _holds("never finishes its headers", answers_and_waits(HEAD + b"content-length: 2\r\n")),
    _holds("says 100 and no more", answers_and_waits(b"HTTP/1.1 100 Continue\r\n\r\n")),
]

SLOW_IN_THEIR_BODIES = [
    _has_a_slow_body(
        "drips its body", repeats(HEAD + b"content-length: 99999\r\n\r\n", b"a", pause_seconds=0.02), 200
    ),
    _has_a_slow_body("drips chunks", repeats(CHUNKED, b"1\r\na\r\n", pause_seconds=0.02), 200),
    _has_a_slow_body("drips a chunk's size", repeats(CHUNKED, b"0", pause_seconds=0.1), 200),
    _has_a_slow_body("drips a body without a length", repeats(HEAD + b"\r\n", b"a", pause_seconds=0.02), 200),
    _has_a_slow_body(
        "drips the body of an error", repeats(b"HTTP/1.1 500 X\r\n\r\n", b"a", pause_seconds=0.02), 500
    ),
    _has_a_slow_body(
        "announces more than it sends", answers_and_waits(HEAD + b"content-length: 9999999999\r\n\r\nok"), 200
    ),
    _has_a_slow_body(
        "announces a larger chunk than it sends", answers_and_waits(CHUNKED + b"7fffffff\r\nok"), 200
    ),
    _has_a_slow_body("never sends the last chunk", answers_and_waits(CHUNKED + b"2\r\nok\r\n"), 200),
    _has_a_slow_body("neither announces an end nor closes", answers_and_waits(HEAD + b"\r\nok"), 200),
]

FLOODING = [
    Hostile("an endless body", repeats(HEAD + b"\r\n", b"a" * 65536), 200, None),
    Hostile("an endless chunked body", repeats(CHUNKED, b"ffff\r\n" + b"a" * 65535 + b"\r\n"), 200, None),
    Hostile(
        "an endless body of an error", repeats(b"HTTP/1.1 500 X\r\n\r\n", b"a" * 65536), 500, Failure.STATUS
    ),
    Hostile(
        "a body said to be of exabytes",
        repeats(HEAD + b"content-length: 9000000000000000000\r\n\r\n", b"a" * 65536),
        200,
        None,
    ),
    _succeeds(
        "a gzip bomb",
        HEAD + b"content-encoding: gzip\r\n\r\n" + _BOMB,
    ),
    _succeeds(
        "a gzip bomb in a gzip bomb",
        HEAD + b"content-encoding: gzip, gzip\r\n\r\n" + gzip.compress(_BOMB),
    ),
    Hostile(
        "endless interim answers",
        repeats(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 999),
        None,
        Failure.PROTOCOL_ERROR,
    ),
    Hostile("endless headers", repeats(HEAD, b"x: aaaaaaaaaaaaaaaa\r\n" * 999), None, Failure.PROTOCOL_ERROR),
    Hostile("an endless header", repeats(HEAD + b"x: ", b"a" * 65536), None, Failure.PROTOCOL_ERROR),
    Hostile("an endless name of a header", repeats(HEAD, b"a" * 65536), None, Failure.PROTOCOL_ERROR),
    Hostile("an endless reason", repeats(b"HTTP/1.1 200 ", b"a" * 65536), None, Failure.PROTOCOL_ERROR),
    Hostile("endless empty lines", repeats(b"", b"\r\n" * 9999), None, Failure.PROTOCOL_ERROR),
    Hostile("an endless size of a chunk", repeats(CHUNKED, b"0" * 65536), 200, None),
    Hostile(
        "an endless extension of a chunk",
        repeats(CHUNKED + b"2;a=", b"a" * 65536),
        200,
        None,
    ),
    Hostile(
        "endless trailers",
        repeats(CHUNKED + b"2\r\nok\r\n0\r\n", b"x: aaaaaaaaaaaaaaaa\r\n" * 999),
        200,
        None,
    ),
    Hostile("endless chunks of one byte", repeats(CHUNKED, b"1\r\na\r\n" * 9999), 200, None),
    _is_no_answer("ten thousand headers", HEAD + b"x: a\r\n" * 10_000 + b"\r\n"),
    _is_no_answer("ten thousand cookies", HEAD + b"set-cookie: a=b\r\n" * 10_000 + b"\r\n"),
    _is_no_answer("a header of a megabyte", HEAD + b"x: " + b"a" * 1_000_000 + b"\r\n\r\n"),
]

REDIRECTING = [
    _fails(
        f"redirects {status} to metadata",
        b"HTTP/1.1 %d X\r\nlocation: %s\r\ncontent-length: 0\r\n\r\n" % (status, METADATA),
        status,
        Failure.REDIRECT,
    )
    for status in (300, 301, 302, 303, 304, 305, 307, 308, 399)
] + [
    _fails("redirects to nowhere", b"HTTP/1.1 302 X\r\ncontent-length: 0\r\n\r\n", 302, Failure.REDIRECT),
    _fails(
        "redirects to a file",
        b"HTTP/1.1 302 X\r\nlocation: file:///etc/passwd\r\ncontent-length: 0\r\n\r\n",
        302,
        Failure.REDIRECT,
    ),
    _fails(
        "redirects to several places",
        b"HTTP/1.1 302 X\r\n" + (b"location: %s\r\n" % METADATA) * 100 + b"content-length: 0\r\n\r\n",
        302,
        Failure.REDIRECT,
    ),
    _succeeds("a location with a success", HEAD + b"location: %s\r\ncontent-length: 2\r\n\r\nok" % METADATA),
    _succeeds("a refresh", HEAD + b"refresh: 0; url=%s\r\ncontent-length: 2\r\n\r\nok" % METADATA),
    _succeeds(
        "an alternative service", HEAD + b'alt-svc: h3="169.254.169.254:80"\r\ncontent-length: 2\r\n\r\nok'
    ),
]

CUT = [
    _is_cut("closes before its answer", answers(b""), silent=True),
    _is_cut("closes in its status line", answers(b"HTTP/1.1 20")),
    _is_cut("closes in its headers", answers(HEAD + b"content-le")),
    _is_cut("closes after an interim answer", answers(b"HTTP/1.1 100 Continue\r\n\r\n")),
    _is_cut_in_its_body(
        "closes in the body of a success", answers(HEAD + b"content-length: 100\r\n\r\nok"), 200
    ),
    _is_cut_in_its_body(
        "closes in the body of an error", answers(b"HTTP/1.1 500 X\r\ncontent-length: 9\r\n\r\nno"), 500
    ),
    _is_cut_in_its_body("closes in a chunk", answers(CHUNKED + b"5\r\nok"), 200),
    _is_cut_in_its_body("closes before the last chunk", answers(CHUNKED + b"2\r\nok\r\n"), 200),
    _is_cut_in_its_body("closes in its trailers", answers(CHUNKED + b"2\r\nok\r\n0\r\nx: y\r\n"), 200),
    _is_cut_in_its_body(
        "closes at the announced exabyte", answers(HEAD + b"content-length: 9000000000000000000\r\n\r\n"), 200
    ),
    _is_cut("resets before its answer", resets(b""), silent=True),
    _is_cut("resets in its headers", resets(HEAD + b"content-le")),
    _is_cut_in_its_body(
        "resets in the body of a success", resets(HEAD + b"content-length: 100\r\n\r\nok"), 200
    ),
    _is_cut_in_its_body("resets in a chunk", resets(CHUNKED + b"5\r\nok"), 200),
]

SPEAKING_OTHERWISE = [
    _is_no_answer("HTTP/0.9", b"<html>ok</html>\r\n"),
    _is_no_answer("HTTP/2", b"\x00\x00\x12\x04\x00\x00\x00\x00\x00" + bytes(18)),
    _is_no_answer("HTTP/2 as text", b"HTTP/2 200 OK\r\n\r\nok"),
    _is_no_answer("HTTP/1.2", b"HTTP/1.2 200 OK\r\ncontent-length: 2\r\n\r\nok"),
    _is_no_answer("HTTP/9.9", b"HTTP/9.9 200 OK\r\ncontent-length: 2\r\n\r\nok"),
    _is_no_answer("HTTP in small letters", b"http/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"),
    _is_no_answer("a radio station", b"ICY 200 OK\r\n\r\nok"),
    _is_no_answer("a mail server", b"220 mail.example.com ESMTP\r\n"),
    _is_no_answer("a shell", b"SSH-2.0-OpenSSH_9.6\r\n"),
    _is_no_answer("TLS", b"\x15\x03\x01\x00\x02\x02\x46"),
    _is_no_answer("nulls", bytes(100)),
    _is_no_answer("a byte order mark before its answer", b"\xef\xbb\xbf" + OK),
    _is_no_answer("a line before its answer", b"junk\r\n" + OK),
    _is_no_answer("a request", b"GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n"),
    _is_no_answer("a status of four digits", b"HTTP/1.1 2000 OK\r\n\r\n"),
    _is_no_answer("a status of two digits", b"HTTP/1.1 20 OK\r\n\r\n"),
    _is_no_answer("a negative status", b"HTTP/1.1 -200 OK\r\n\r\n"),
    _is_no_answer("a status of letters", b"HTTP/1.1 abc OK\r\n\r\n"),
    _is_no_answer("lines ended by returns alone", b"HTTP/1.1 200 OK\rcontent-length: 2\r\rok"),
    _is_no_answer("a null in a header", HEAD + b"x: a\x00b\r\ncontent-length: 2\r\n\r\nok"),
    _is_no_answer("a header without a name", HEAD + b": a\r\ncontent-length: 2\r\n\r\nok"),
    _is_no_answer("a header without a colon", HEAD + b"no colon\r\n\r\n"),
    _is_no_answer("129 headers", HEAD + b"x: a\r\n" * 128 + b"content-length: 2\r\n\r\nok"),
    _is_no_answer("two lengths that differ", HEAD + b"content-length: 2\r\ncontent-length: 3\r\n\r\nok!"),
    _is_no_answer("two lengths alike", HEAD + b"content-length: 2\r\ncontent-length: 2\r\n\r\nok"),
    _is_no_answer("a list of lengths", HEAD + b"content-length: 2, 2\r\n\r\nok"),
    _is_no_answer("a length with a sign", HEAD + b"content-length: +2\r\n\r\nok"),
    _is_no_answer("a negative length", HEAD + b"content-length: -2\r\n\r\nok"),
    _is_no_answer("a length in hexadecimal", HEAD + b"content-length: 0x2\r\n\r\nok"),
    _is_no_answer("a length past all numbers", HEAD + b"content-length: 99999999999999999999999\r\n\r\nok"),
    _is_no_answer(
        "a length and chunks",
        HEAD + b"content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
    ),
    _is_no_answer("an interim answer with a body", b"HTTP/1.1 100 X\r\ncontent-length: 5\r\n\r\nhello" + OK),
    _has_a_broken_body("a chunk without a size", CHUNKED + b"xyz\r\nok\r\n0\r\n\r\n"),
    _has_a_broken_body("a chunk of a negative size", CHUNKED + b"-2\r\nok\r\n0\r\n\r\n"),
    _has_a_broken_body("a chunk past all numbers", CHUNKED + b"ffffffffffffffffffff\r\nok\r\n0\r\n\r\n"),
    _has_a_broken_body("a chunk longer than its size", CHUNKED + b"1\r\nok\r\n0\r\n\r\n"),
    _has_a_broken_body("a chunk shorter than its size", CHUNKED + b"5\r\nok\r\n0\r\n\r\n"),
    Hostile("a broken chunk, and closes", answers(CHUNKED + b"xyz\r\nok"), 200, None),
]

REFUSING = [
    _fails(
        "asks for a password",
        b'HTTP/1.1 401 X\r\nwww-authenticate: Basic realm="x"\r\ncontent-length: 0\r\n\r\n',
        401,
    ),
    _fails(
        "asks for Windows' password",
        b"HTTP/1.1 401 X\r\nwww-authenticate: NTLM\r\nwww-authenticate: Negotiate\r\ncontent-length: 0\r\n\r\n",
        401,
    ),
    _fails(
        "asks for a digest",
        b'HTTP/1.1 401 X\r\nwww-authenticate: Digest realm="x", nonce="y"\r\ncontent-length: 0\r\n\r\n',
        401,
    ),
    _fails(
        "asks for a proxy's password",
        b'HTTP/1.1 407 X\r\nproxy-authenticate: Basic realm="x"\r\ncontent-length: 0\r\n\r\n',
        407,
    ),
    _fails("is in a hurry", b"HTTP/1.1 408 X\r\nconnection: close\r\ncontent-length: 0\r\n\r\n", 408),
    _fails("asks to wait", b"HTTP/1.1 429 X\r\nretry-after: 999999999\r\ncontent-length: 0\r\n\r\n", 429),
    _fails(
        "asks to try again at once", b"HTTP/1.1 503 X\r\nretry-after: 0\r\ncontent-length: 0\r\n\r\n", 503
    ),
    _fails("asks for another protocol", b"HTTP/1.1 426 X\r\nupgrade: h2c\r\ncontent-length: 0\r\n\r\n", 426),
    _fails(
        "switches protocols", b"HTTP/1.1 101 X\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n" + OK, 101
    ),
    _fails("a status past all classes", b"HTTP/1.1 999 X\r\ncontent-length: 0\r\n\r\n", 999),
]

ODD = [
    _succeeds("a 204 with a body", b"HTTP/1.1 204 X\r\ncontent-length: 5\r\n\r\nhello", 204),
    _succeeds(
        "a 204 with chunks", b"HTTP/1.1 204 X\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", 204
    ),
    _succeeds("a 205 with a body", b"HTTP/1.1 205 X\r\ncontent-length: 2\r\n\r\nok", 205),
    _succeeds("HTTP/1.0", b"HTTP/1.0 200 OK\r\n\r\nok"),
    _succeeds(
        "HTTP/1.0 with chunks", b"HTTP/1.0 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"
    ),
    _succeeds("a body until the connection closes", HEAD + b"\r\nok"),
    _succeeds("keeps nothing open", HEAD + b"connection: close\r\ncontent-length: 2\r\n\r\nok"),
    Hostile(
        "keeps the connection open",
        answers_and_waits(HEAD + b"connection: keep-alive\r\ncontent-length: 0\r\n\r\n"),
        200,
        None,
    ),
    _succeeds("more than was announced", OK + b" and garbage after it" * 100),
    _succeeds("another answer after it", OK + b"HTTP/1.1 500 X\r\ncontent-length: 0\r\n\r\n"),
    _succeeds("interim answers before it", INTERIM * 3 + OK),
    _succeeds("an interim answer, and more than was announced", INTERIM + OK + b" and garbage after it"),
    _succeeds(
        "an interim answer and a 204 with a body",
        INTERIM + b"HTTP/1.1 204 X\r\ncontent-length: 5\r\n\r\nhello",
        204,
    ),
    _succeeds("empty lines, and more than was announced", b"\r\n\r\n" + OK + b" and garbage after it"),
    _succeeds("garbage after the last chunk", CHUNKED + b"2\r\nok\r\n0\r\n\r\ngarbage"),
    _succeeds("trailers", CHUNKED + b"2\r\nok\r\n0\r\nx: y\r\n\r\n"),
    _succeeds("an extension of a chunk", CHUNKED + b"2;a=b\r\nok\r\n0\r\n\r\n"),
    _succeeds("no reason", b"HTTP/1.1 200\r\ncontent-length: 2\r\n\r\nok"),
    _succeeds("bytes that are no text", HEAD + b"x: \xff\xfe\r\ncontent-length: 2\r\n\r\n\xff\xfe"),
    _succeeds("said to be gzip and is not", HEAD + b"content-encoding: gzip\r\ncontent-length: 2\r\n\r\nok"),
    _succeeds("an encoding nobody knows", HEAD + b"content-encoding: br, foo\r\ncontent-length: 2\r\n\r\nok"),
    _succeeds(
        "a charset nobody knows", HEAD + b"content-type: text/x; charset=no\r\ncontent-length: 2\r\n\r\nok"
    ),
    _succeeds("a cookie that is none", HEAD + b"set-cookie: \x01=;;;===\r\ncontent-length: 2\r\n\r\nok"),
    _succeeds("an empty line before its answer", b"\r\n" + OK),
    _succeeds("lines ended by line feeds alone", OK.replace(b"\r\n", b"\n")),
    Hostile("a slow answer, complete in time", drips(OK, pause_seconds=0.002), 200, None),
]

HOSTILE = HOLDING + SLOW_IN_THEIR_BODIES + FLOODING + REDIRECTING + CUT + SPEAKING_OTHERWISE + REFUSING + ODD
