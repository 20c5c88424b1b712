"""The JavaScript client: its own tests, run by Node, and its answers beside those of the Python client."""

from __future__ import annotations

import json
import random
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from helpdesk_webhooks import VerificationError, sign, verify, webhook_secret
from tests.support.node import node

ROOT = Path(__file__).parents[2]
SUITES = sorted((Path(__file__).parent / "javascript").glob("*.test.mjs"))
VECTORS = json.loads((ROOT / "clients" / "test-vectors.json").read_text(encoding="utf-8"))
SECRET = VECTORS["secrets"][0]["webhooks"]
NOW = 1763683200000
BODIES = [
    "{}",
    '{"id":"evt_1"}',
    '{"a":"Grüße 👋","b":[1,2.5,null,true]}',
    "[]",
    "nul",
    '{"a":"\\ud83d"}',
    '{"a":1,"a":2}',
]
SEED = 20261121
# JavaScript's names of the errors that Python raises for a mistake in the calling program.
NAMES = {"ValueError": "RangeError", "UnicodeEncodeError": "RangeError"}

Call = dict[str, Any]


@pytest.mark.parametrize("suite", SUITES, ids=lambda suite: str(suite.name))
def test_the_suite_passes(suite: Path) -> None:
    run = subprocess.run(
        [node(), "--test", str(suite)], capture_output=True, encoding="utf-8", timeout=120, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr
    passed = re.search(r"^[#ℹ] pass (\d+)$", run.stdout, re.MULTILINE)
    assert passed is not None
    assert int(passed[1]) > 0


def of_python(call: Call) -> Call:
    """The Python client's result of `call`, in the form of tests/clients/javascript/answers.mjs."""
    try:
        if "key" in call:
            return {"secret": webhook_secret(call["key"])}
        payload = call["text"] if "text" in call else bytes.fromhex(call["hex"])
        return {"event": verify(payload, call["header"], call["secret"], call["tolerance"], now=call["now"])}
    except (VerificationError, ValueError, TypeError) as problem:
        name = type(problem).__name__
        return {"error": NAMES.get(name, name)}


def of_javascript(calls: list[Call]) -> list[Call]:
    script = Path(__file__).parent / "javascript" / "answers.mjs"
    run = subprocess.run(
        [node(), str(script)],
        input=json.dumps(calls),
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    answers: list[Call] = json.loads(run.stdout)
    return answers


def differences(calls: list[Call]) -> list[tuple[Call, Call, Call]]:
    answers = zip(calls, map(of_python, calls), of_javascript(calls), strict=True)
    return [(call, python, javascript) for call, python, javascript in answers if python != javascript]


def altered(chance: random.Random, text: str) -> str:
    """`text` with a few characters taken out, doubled or put in."""
    characters = list(text)
    for _ in range(chance.randint(0, 3)):
        at = chance.randrange(len(characters) + 1)
        new = chance.choice(
            ["", "", ",", "=", "t=", "v1=", " ", "0", "1", "a", "\n", "ü", "\ud83d", "٣", "😀"]
        )
        characters[at : at + chance.randint(0, 2)] = new
    return "".join(characters)


def a_call(chance: random.Random) -> Call:
    body = chance.choice(BODIES)
    header = sign(body, SECRET, NOW + chance.choice([0, 0, 0, 300_000, 300_001, -300_000, -300_001]))
    call: Call = {
        "header": chance.choice([header, header, altered(chance, header), altered(chance, header), None]),
        "secret": chance.choice([SECRET, SECRET, SECRET, SECRET, "", "svc_key_x", "ü"]),
        "tolerance": chance.choice([300_000, 300_000, 0, None]),
        "now": NOW,
    }
    if chance.random() < 0.5:
        call["text"] = chance.choice([body, altered(chance, body)])
    else:
        raw = chance.choice([body, altered(chance, body)]).encode("utf-8", "surrogatepass")
        call["hex"] = raw.hex()
    return call


def test_both_clients_agree_on_nearly_valid_deliveries() -> None:
    chance = random.Random(SEED)
    calls = [a_call(chance) for _ in range(3_000)]
    reasons = {of_python(call).get("error", "ok") for call in calls}
    # Every possible result occurs, or the test would prove nothing.
    assert reasons == {
        *(
            "ok",
            "SignatureMissing",
            "InvalidHeader",
            "TimestampTooOld",
            "TimestampTooNew",
            "SignatureMismatch",
        ),
        *("InvalidPayload", "RangeError"),
    }
    assert differences(calls) == []


def test_both_clients_refuse_the_same_keys() -> None:
    characters = [chr(code) for code in range(0x3100) if not 0x300 <= code < 0x1600]
    keys = [f"svc_key_{character}" for character in characters]
    keys += ["", "svc_pk_1", "svc_oat_1", "svc_key_\ud83d", "svc_key_\ufeff", "😀", "\x00"]
    assert differences([{"key": key} for key in keys]) == []
