"""Kills workers during their work: only descendants of the emulator's process."""

import os
import signal
import threading
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from random import Random

from tests.chaos import processes
from tests.chaos.in_flight import InFlightRequests

WAIT_SECONDS = 2.0  # how long to wait for a moment to come
MISSED_SECONDS = 0.005
RECORDING_SECONDS = 0.02  # within which a result is recorded, about


class Moment(StrEnum):
    """When a worker is killed."""

    IN_FLIGHT = "sending: its request has arrived and is not answered"
    ANSWERED = "sending: its request was answered up to 20 ms ago"
    MID_BATCH = "fan-out: in the middle of a batch"
    WORKING = "any function of the background, while it uses the processor"


_SHARES = {Moment.IN_FLIGHT: 12, Moment.ANSWERED: 6, Moment.MID_BATCH: 5, Moment.WORKING: 2}
DELIVERY, FANOUT = "Delivery", "Fanout"
MOST_KILLS = {DELIVERY: 10_000, FANOUT: 8}
"""How often a function's workers are killed at most. Fan-out has one in the emulator, which loses a batch of up to a
hundred records with it; killed all the time, it would leave the delivery workers idle, with nothing to be killed in."""


@dataclass
class KillReport:
    """What was killed, by function and by moment, and the events whose request was in flight or just answered."""

    functions: Counter[str] = field(default_factory=Counter)
    moments: Counter[Moment] = field(default_factory=Counter)
    in_flight: list[str] = field(default_factory=list)
    answered: list[str] = field(default_factory=list)


class WorkerKiller:
    """Kills workers of the emulator at chosen moments, until it is stopped.

    Between two deaths there is a pause of random length: the emulator rests a queue for a second after a failure, and
    a new worker's start takes some seconds of the processor.
    """

    def __init__(
        self, emulator: int, in_flight: InFlightRequests, random: Random, *, least: float, most: float
    ) -> None:
        self.report = KillReport()
        self._emulator, self._in_flight, self._random = emulator, in_flight, random
        self._pauses = (least, most)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._kill_repeatedly, daemon=True)

    def start(self) -> None:
        """Start to kill workers."""
        self._thread.start()

    def stop(self) -> None:
        """Stop, and wait for the thread to end."""
        self._ended.set()
        self._thread.join()

    def _kill_repeatedly(self) -> None:
        moments, shares = list(_SHARES), list(_SHARES.values())
        while not self._ended.wait(self._random.uniform(*self._pauses)):
            moment = self._random.choices(moments, shares)[0]
            if moment in {Moment.IN_FLIGHT, Moment.ANSWERED}:
                self._kill_a_sender(moment)
            else:
                self._kill_a_busy_worker(moment)

    def _kill_a_sender(self, moment: Moment) -> None:
        """Kill the process whose request is in flight, before its answer or right after."""
        workers = [pid for pid, name in processes.functions(self._emulator).items() if name == DELIVERY]
        until = time.monotonic() + WAIT_SECONDS
        killed = False
        while not killed and (left := until - time.monotonic()) > 0:
            request = self._in_flight.wait(self._random, left)
            sender = request and processes.owner(workers, request.client_port, request.server_port)
            if not request or not sender:
                time.sleep(MISSED_SECONDS)  # many are answered before their sender is found
                continue
            if moment is Moment.IN_FLIGHT:
                with self._in_flight.frozen(request) as in_flight:
                    killed = in_flight and self._kill(sender, DELIVERY, moment)
                if killed:
                    self.report.in_flight.append(request.event_id)
            elif request.answered.wait(left):
                time.sleep(self._random.uniform(0, RECORDING_SECONDS))
                killed = self._kill(sender, DELIVERY, moment)
                if killed:
                    self.report.answered.append(request.event_id)

    def _kill_a_busy_worker(self, moment: Moment) -> None:
        wanted = {FANOUT} if moment is Moment.MID_BATCH else MOST_KILLS.keys()
        until = time.monotonic() + WAIT_SECONDS
        while time.monotonic() < until:
            running = [
                (pid, name)
                for pid, name in processes.functions(self._emulator).items()
                if name in wanted and self.report.functions[name] < MOST_KILLS[name]
            ]
            self._random.shuffle(running)
            for pid, name in running:
                if processes.works(pid):
                    self._kill(pid, name, moment)
                    return
            if not running:
                return

    def _kill(self, pid: int, function: str, moment: Moment) -> bool:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
            self.report.functions[function] += 1
            self.report.moments[moment] += 1
            return True
        return False
