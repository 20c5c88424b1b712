"""Ctrl-C while a refresh token is exchanged: the successor is stored first."""

import os
import signal
import threading

import pytest

from helpdesk_cli.credentials import uninterrupted


def test_ctrl_c_waits_for_the_end_of_the_block() -> None:
    done = []
    with pytest.raises(KeyboardInterrupt), uninterrupted():  # noqa: PT012 - what comes after the signal is the point
        os.kill(os.getpid(), signal.SIGINT)
        done.append("stored")
    assert done == ["stored"]


def test_afterwards_ctrl_c_works_as_before() -> None:
    before = signal.getsignal(signal.SIGINT)
    with uninterrupted():
        assert signal.getsignal(signal.SIGINT) is not before
    assert signal.getsignal(signal.SIGINT) is before


def test_a_problem_in_the_block_is_told_rather_than_the_interruption() -> None:
    with pytest.raises(ValueError, match="the problem"), uninterrupted():  # noqa: PT012 - likewise
        os.kill(os.getpid(), signal.SIGINT)
        raise ValueError("the problem")


def test_in_a_thread_of_a_program_signals_are_left_alone() -> None:
    seen: list[bool] = []

    def run() -> None:
        before = signal.getsignal(signal.SIGINT)
        with uninterrupted():
            seen.append(signal.getsignal(signal.SIGINT) is before)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert seen == [True]
