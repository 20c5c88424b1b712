"""Name lookups in threads of their own, with a limit, which callers can abandon.

The system's lookup cannot be interrupted. A name whose servers do not answer holds its thread until the system gives up
(RES_OPTIONS sets when; docs/decisions/0050). Each lookup therefore has its own thread, which the caller can abandon and
which is never joined. An event loop's pool does neither: it has few threads, which a few such names fill, and closing
the loop waits for them.
"""

import socket
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from threading import Lock, Thread
from typing import Final

type Resolver = Callable[[str], Iterable[str]]
"""Takes a host name and returns its addresses as text. Blocks. Raises OSError if the name does not resolve."""

MAX_LOOKUPS = 128
"""The most threads for lookups, in all batches together. Another name waits for a free one."""

_lock: Final = Lock()
_waiting: Final[deque[tuple[Future[list[str]], Resolver, str]]] = deque()
_threads = 0


def resolve(host: str) -> list[str]:
    """Look a name up with the system's resolver, in both families.

    Blocks for as long as the system does. Raises OSError if the name does not resolve.
    """
    # The final dot makes the name absolute, so that the search list of resolv.conf does not apply.
    found = socket.getaddrinfo(f"{host}.", None, type=socket.SOCK_STREAM)
    # A dictionary keeps the system's order (RFC 6724), in which reachable families come first.
    return list(dict.fromkeys(str(sockaddr[0]) for *_, sockaddr in found))


def start(resolver: Resolver, host: str) -> Future[list[str]]:
    """Start to look `host` up; return a future of its addresses.

    The future raises OSError if the name does not resolve. A name whose future is cancelled in time is not looked up.
    """
    global _threads  # noqa: PLW0603 - all callers in the process share the threads
    answer: Future[list[str]] = Future()
    with _lock:
        _waiting.append((answer, resolver, host))
        if _threads >= MAX_LOOKUPS:
            return answer
        _threads += 1
    try:
        Thread(target=_work, name="lookup", daemon=True).start()
    except RuntimeError as error:  # the system has no more threads
        with _lock:
            _threads -= 1
        answer.cancel()
        raise OSError(str(error)) from error
    return answer


def _work() -> None:
    """Look up waiting names until none is left."""
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
        except Exception as error:  # noqa: BLE001 - the caller gets it
            answer.set_exception(error)
        else:
            answer.set_result(found)
