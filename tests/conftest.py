"""What all tests share: how many examples hypothesis tries, that Ctrl-C arrives, and what the collector looks at."""

import gc
import signal

from hypothesis import settings

from tests.support import effort

# The long form of each night finds what a few examples miss; a test that names a figure takes it from `effort.of`.
settings.register_profile("helpdesk", max_examples=effort.of(40, 1000), deadline=None)
settings.load_profile("helpdesk")

pytest_plugins = ["tests.support.grants"]

# A shell starts background commands with SIGINT ignored; tests send it to themselves, and would wait for ever.
signal.signal(signal.SIGINT, signal.default_int_handler)


# Nothing of what is imported and collected is garbage.
gc.disable()


def pytest_collection_finish() -> None:
    """Keep the modules and the collected tests, which stay until the end, out of the garbage collector's rounds.

    The rounds are rare: what a test leaves is small, and looking for it took a twentieth of the time.
    """
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
    gc.enable()


def pytest_unconfigure() -> None:
    """Let the interpreter's end collect the modules; compiled ones report what is left of them as leaks."""
    gc.unfreeze()
