"""Running Node.js, where there is one: Helpdesk itself does not need it, its client for JavaScript does."""

from __future__ import annotations

import functools
import shutil
import subprocess

import pytest

OLDEST = 18


@functools.cache
def node() -> str:
    """The path of a Node.js that is new enough; skips the test, with the reason, when there is none."""
    found = shutil.which("node")
    if found is None:
        pytest.skip("node is not on the PATH: the JavaScript client is not tested here")
    answer = subprocess.run([found, "--version"], capture_output=True, text=True, timeout=30, check=True)
    major = int(answer.stdout.strip().removeprefix("v").partition(".")[0])
    if major < OLDEST:
        pytest.skip(f"node is {answer.stdout.strip()}: the JavaScript client is for {OLDEST} and later")
    return found


@functools.cache
def npm() -> str:
    """The path of npm; skips the test, with the reason, when there is none."""
    found = shutil.which("npm")
    if found is None:
        pytest.skip("npm is not on the PATH: what it would install is not tested here")
    return found
