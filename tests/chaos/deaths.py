"""Killing workers in the middle of something: the emulator's own descendants, and nobody else's."""

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
from tests.chaos.flights import Flights

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
_MOST = {"delivery": 10_000, "reconciler": 10_000, "fanout": 8}
"""How often a function's workers are killed at most. Fan-out has one in the emulator, which loses a batch of up to a
hundred records with it; killed all the time, it would leave the delivery workers idle, with nothing to be killed in."""


@dataclass
class Toll:
    """Who was killed: by function, by moment, and the events whose request was in flight or just answered."""

    functions: Counter[str] = field(default_factory=Counter)
    moments: Counter[Moment] = field(default_factory=Counter)
    in_flight: list[str] = field(default_factory=list)
    answered: list[str] = field(default_factory=list)


class Deaths:
    """Kills workers of the emulator at chosen moments, until it is told to end.

    Between two deaths there is a pause of random length: the emulator rests a queue for a second after a failure, and
    a new worker's start takes some seconds of the processor.
    """

    def __init__(self, emulator: int, flights: Flights, random: Random, *, least: float, most: float) -> None:
        self.toll = Toll()
        self._emulator, self._flights, self._random = emulator, flights, random
        self._pauses = (least, most)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._kill_on, daemon=True)

    def begin(self) -> None:
        """Begin to kill."""
        self._thread.start()

    def end(self) -> None:
        """Kill no more."""
        self._ended.set()
        self._thread.join()

    def _kill_on(self) -> None:
        moments, shares = list(_SHARES), list(_SHARES.values())
        while not self._ended.wait(self._random.uniform(*self._pauses)):
            moment = self._random.choices(moments, shares)[0]
            if moment in {Moment.IN_FLIGHT, Moment.ANSWERED}:
                self._kill_a_sender(moment)
            else:
                self._kill_one_that_works(moment)

    def _kill_a_sender(self, moment: Moment) -> None:
        """Kill the very process whose request is in flight, before it is answered or right after."""
        workers = [pid for pid, name in processes.functions(self._emulator).items() if name == "delivery"]
        until = time.monotonic() + WAIT_SECONDS
        killed = False
        while not killed and (left := until - time.monotonic()) > 0:
            flight = self._flights.wait(self._random, left)
            sender = flight and processes.owner(workers, flight.client_port, flight.server_port)
            if not flight or not sender:
                time.sleep(MISSED_SECONDS)  # many are answered before their sender is found
                continue
            if moment is Moment.IN_FLIGHT:
                with self._flights.frozen(flight) as flying:
                    killed = flying and self._kill(sender, "delivery", moment)
                if killed:
                    self.toll.in_flight.append(flight.event_id)
            elif flight.answered.wait(left):
                time.sleep(self._random.uniform(0, RECORDING_SECONDS))
                killed = self._kill(sender, "delivery", moment)
                if killed:
                    self.toll.answered.append(flight.event_id)

    def _kill_one_that_works(self, moment: Moment) -> None:
        wanted = {"fanout"} if moment is Moment.MID_BATCH else _MOST.keys()
        until = time.monotonic() + WAIT_SECONDS
        while time.monotonic() < until:
            running = [
                (pid, name)
                for pid, name in processes.functions(self._emulator).items()
                if name in wanted and self.toll.functions[name] < _MOST[name]
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
            self.toll.functions[function] += 1
            self.toll.moments[moment] += 1
            return True
        return False
