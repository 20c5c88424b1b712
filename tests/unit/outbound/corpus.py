"""The corpus of the address guard: addresses.json beside this file, one case a line.

url, address   what is judged: a URL, or an address by itself
answers        what the URL's name resolves to; absent or empty when it does not resolve, no ground for refusal
verdict        refused or allowed, on every stage
local          allowed, where a refused URL is allowed on the local stage
why            what the case is about
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Case:
    """One line of addresses.json."""

    verdict: str
    why: str
    url: str = ""
    address: str = ""
    answers: tuple[str, ...] = ()
    local: str = ""

    @property
    def allowed(self) -> bool:
        return self.verdict == "allowed"

    @property
    def allowed_locally(self) -> bool:
        return "allowed" in {self.verdict, self.local}

    def resolve(self, host: str) -> Iterable[str]:
        if not self.answers:
            raise OSError(f"{host} does not resolve")
        return self.answers

    def __str__(self) -> str:
        return f"{(self.url or self.address)[:60]!a} {self.why}"


def _cases() -> list[Case]:
    lines = json.loads(Path(__file__).with_name("addresses.json").read_text(encoding="utf-8"))
    return [Case(**{**line, "answers": tuple(line.get("answers", ()))}) for line in lines]


CASES = _cases()
URLS = [case for case in CASES if case.url or not case.address]
ADDRESSES = [case for case in CASES if case.address]
