"""Lookups of names: what is asked of the system, and that silent names hold up nobody."""

import os
import platform
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager

import pytest

from helpdesk.outbound import lookups
from tests.support.template import template


@contextmanager
def silent_names() -> Iterator[lookups.Resolver]:
    """Give a resolver for which names under silent.example.com hang until the end of the test."""
    released = threading.Event()

    def look_up(host: str) -> list[str]:
        if host.endswith("silent.example.com"):
            released.wait()
        return ["93.184.216.34"]

    try:
        yield look_up
    finally:
        released.set()


def wait_until_idle() -> None:
    """Wait until no thread of a lookup is left."""
    for thread in threading.enumerate():
        if thread.name == "lookup":
            thread.join(5)
    assert lookups._threads == 0


def test_a_lookup_uses_the_absolute_name_and_keeps_the_systems_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = []

    def getaddrinfo(host: str, *_: object, **__: object) -> list[tuple[object, ...]]:
        asked.append(host)
        found = ["2606:4700::1111", "93.184.216.34", "2606:4700::1111"]
        return [(None, None, 6, "", (address, 0)) for address in found]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)

    assert lookups.resolve("hook.example.com") == ["2606:4700::1111", "93.184.216.34"]
    assert asked == ["hook.example.com."]


def test_silent_names_of_ten_batches_do_not_keep_the_next_batch_from_its_lookups() -> None:
    with silent_names() as resolver:
        for number in range(100):
            lookups.start(resolver, f"{number}.silent.example.com")

        assert lookups.start(resolver, "hook.example.com").result(1) == ["93.184.216.34"]
    wait_until_idle()


def test_a_name_waits_for_a_thread_when_all_are_taken_and_then_is_looked_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lookups, "MAX_LOOKUPS", 3)
    with silent_names() as resolver:
        hanging = [lookups.start(resolver, f"{number}.silent.example.com") for number in range(3)]
        waiting = lookups.start(resolver, "hook.example.com")

        with pytest.raises(TimeoutError):
            waiting.result(0.05)
        assert not waiting.running()
    assert waiting.result(5) == ["93.184.216.34"]
    assert [answer.result(5) for answer in hanging] == [["93.184.216.34"]] * 3
    wait_until_idle()


def test_a_lookup_given_up_before_its_turn_is_never_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lookups, "MAX_LOOKUPS", 1)
    asked = []

    with silent_names() as silent:

        def resolver(host: str) -> list[str]:
            asked.append(host)
            return list(silent(host))

        lookups.start(resolver, "a.silent.example.com")
        given_up = lookups.start(resolver, "b.example.com")
        assert given_up.cancel()
        last = lookups.start(resolver, "c.example.com")
    assert last.result(5) == ["93.184.216.34"]
    with pytest.raises(CancelledError):
        given_up.result(0)
    assert asked == ["a.silent.example.com", "c.example.com"]
    wait_until_idle()


def test_every_thread_ends_when_its_lookups_are_done() -> None:
    answers = [lookups.start(lambda _: ["93.184.216.34"], f"{n}.example.com") for n in range(300)]

    assert {tuple(answer.result(5)) for answer in answers} == {("93.184.216.34",)}
    wait_until_idle()


@pytest.mark.parametrize(
    ("raised", "expected"),
    [
        pytest.param(socket.gaierror(-2, "unknown"), socket.gaierror, id="a name that is not there"),
        pytest.param(UnicodeError("label too long"), OSError, id="a name that no message can hold"),
        pytest.param(ValueError("embedded null"), ValueError, id="what no resolver should do"),
    ],
)
def test_an_error_of_a_resolver_reaches_the_caller(raised: Exception, expected: type[Exception]) -> None:
    def resolver(_: str) -> list[str]:
        raise raised

    with pytest.raises(expected):
        lookups.start(resolver, "hook.example.com").result(5)
    wait_until_idle()


def test_a_system_without_threads_to_give_fails_that_lookup_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def start(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", start)
        with pytest.raises(OSError, match="can't start new thread"):
            lookups.start(lambda _: [], "hook.example.com")

    assert lookups.start(lambda _: ["8.8.8.8"], "hook.example.com").result(5) == ["8.8.8.8"]
    wait_until_idle()


_ASK_THE_SYSTEM = """
import ctypes, ctypes.util
libc = ctypes.CDLL(None)
libc.__res_init()
libc.__res_state.restype = ctypes.POINTER(ctypes.c_int)
state = libc.__res_state()  # struct __res_state begins: int retrans (seconds); int retry
print(state[0], state[1])
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="Lambda's C library is glibc")
def test_the_system_asks_three_times_for_two_seconds_where_the_template_says_so() -> None:
    variables = template()["Resources"]["DeliveryFunction"]["Properties"]["Environment"]["Variables"]
    environment = {**os.environ, "RES_OPTIONS": variables["RES_OPTIONS"]}

    said = subprocess.run(
        [sys.executable, "-c", _ASK_THE_SYSTEM],
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    )

    assert said.stdout.split() == ["2", "3"]
