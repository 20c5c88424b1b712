"""One line per step, each with the seconds since the start."""

import time


class Problem(Exception):
    """An error that the person at the terminal can correct; the message is one line."""


class Progress:
    """Prints to the terminal. Each step that takes longer than a moment is announced first."""

    def __init__(self) -> None:
        self._started = time.monotonic()

    def say(self, line: str) -> None:
        """Print one step."""
        print(f"[{time.monotonic() - self._started:5.1f} s] {line}", flush=True)

    def seconds(self) -> float:
        """Return the seconds since the start."""
        return time.monotonic() - self._started
