"""One line per step, each with the seconds since the start, so that a wait is seen to move."""

import time


class Problem(Exception):
    """Something that the person at the terminal can put right, told in one line."""


class Progress:
    """Prints to the terminal. Everything that takes longer than a moment announces itself first."""

    def __init__(self) -> None:
        self._started = time.monotonic()

    def say(self, line: str) -> None:
        """Print one step."""
        print(f"[{time.monotonic() - self._started:5.1f} s] {line}", flush=True)

    def seconds(self) -> float:
        """Return the seconds since the start."""
        return time.monotonic() - self._started
