"""Ctrl-C while a refresh token is exchanged: the new token is stored first."""

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


def test_an_exception_in_the_block_takes_precedence_over_the_interruption() -> None:
    with pytest.raises(ValueError, match="the problem"), uninterrupted():  # noqa: PT012 - the same
        os.kill(os.getpid(), signal.SIGINT)
        raise ValueError("the problem")


def test_outside_the_main_thread_signal_handlers_do_not_change() -> None:
    seen: list[bool] = []

    def run() -> None:
        before = signal.getsignal(signal.SIGINT)
        with uninterrupted():
            seen.append(signal.getsignal(signal.SIGINT) is before)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert seen == [True]
