"""Looking names up: in threads of our own, so many at a time, and nobody waits longer than he means to.

The system's lookup cannot be interrupted, and a name whose servers are silent holds its thread until the system
gives up (how long that is, RES_OPTIONS says; decision 50). So a lookup has a thread to itself, which whoever asked may
turn away from and which nobody joins at the end. The pool of an event loop would do neither: it has a handful of
threads, which a few silent names fill, and closing the loop waits for them.
"""

import socket
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from threading import Lock, Thread
from typing import Final

type Resolver = Callable[[str], Iterable[str]]
"""Takes a host name, answers its addresses as text. Blocks; raises OSError when the name does not resolve."""

MAX_LOOKUPS = 128
"""Threads that look names up, at most, in all batches together. A further name waits for one to come free."""

_lock: Final = Lock()
_waiting: Final[deque[tuple[Future[list[str]], Resolver, str]]] = deque()
_threads = 0


def resolve(host: str) -> list[str]:
    """Look a name up with the system's resolver, in both families.

    Blocks, for as long as the system likes. Raises OSError when the name does not resolve.
    """
    # The final dot keeps the search list of resolv.conf out: the name is meant from the root.
    found = socket.getaddrinfo(f"{host}.", None, type=socket.SOCK_STREAM)
    # A dictionary keeps the system's order (RFC 6724), in which reachable families come first.
    return list(dict.fromkeys(str(sockaddr[0]) for *_, sockaddr in found))


def start(resolver: Resolver, host: str) -> Future[list[str]]:
    """Begin to look `host` up; return its answers to come.

    The future raises OSError when the name does not resolve. Cancelled before its turn, it is never looked up.
    """
    global _threads  # noqa: PLW0603 - the threads are the process's, whoever asks
    answer: Future[list[str]] = Future()
    with _lock:
        _waiting.append((answer, resolver, host))
        if _threads >= MAX_LOOKUPS:
            return answer
        _threads += 1
    try:
        Thread(target=_work, name="lookup", daemon=True).start()
    except RuntimeError as error:  # the system gives no more threads
        with _lock:
            _threads -= 1
        answer.cancel()
        raise OSError(str(error)) from error
    return answer


def _work() -> None:
    """Look up what waits, until nothing does."""
    global _threads  # noqa: PLW0603
    while True:
        with _lock:
            if not _waiting:
                _threads -= 1
                return
            answer, resolver, host = _waiting.popleft()
        if not answer.set_running_or_notify_cancel():
            continue
        try:
            found = list(resolver(host))
        except UnicodeError as error:  # a name that no DNS message can hold
            answer.set_exception(OSError(str(error)))
        except Exception as error:  # noqa: BLE001 - told to whoever asked
            answer.set_exception(error)
        else:
            answer.set_result(found)
