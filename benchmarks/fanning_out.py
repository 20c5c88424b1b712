"""How many records of the stream one function fans out in a second."""

import copy
import json
import time
from typing import Any

from benchmarks import recording, stub
from benchmarks.measuring import take_turns
from benchmarks.recording import Recorded
from benchmarks.report import Section
from tests.support.api import Context, function
from tests.support.aws import recorded_calls
from tests.support.template import ROOT

TITLE = "Fan-out"
BATCH = 100  # the event source mapping's, in template.yaml

TEXT = f"""Batches of {BATCH} outbox items of POST /messages through `functions/fanout/app.py`: each queues the first
attempt for the one endpoint that listens, and a job for the agent. DynamoDB and SQS are a server
on loopback in another process that answers at once and shares this machine's cores. By the clock, and by this
process's CPU time, which is the bound where AWS takes its milliseconds and the function's threads wait for it."""


def run(*, tiny: bool = False) -> Section:
    """Measure."""
    record = recording.recorded()
    with stub.answering(answers(record)) as address:
        stub.use(address)
        handler, batch, context = function("fanout").handler, {"Records": stream_records(record)}, Context()

        def work() -> None:
            if handler(batch, context)["batchItemFailures"]:
                raise RuntimeError("records failed")

        rounds = 1 if tiny else 15
        with recorded_calls() as calls:
            work()
        by_clock = take_turns({"": work}, rounds=rounds, repeats=1, clock=time.perf_counter)
        by_cpu = take_turns({"": work}, rounds=rounds, repeats=1)
    return Section(
        TITLE,
        TEXT,
        ("Fan-out of one function", ""),
        [
            ("records a second, by the clock", f"{BATCH / by_clock.median(''):.0f}"),
            ("records a second, by CPU time", f"{BATCH / by_cpu.median(''):.0f}"),
            ("CPU for a record", f"{by_cpu.median('') / BATCH * 1_000:.2f} ms"),
            (f"calls for a batch of {BATCH}", str(len(calls))),
        ],
    )


def answers(record: Recorded) -> dict[str, str]:
    """Return what DynamoDB and SQS answer."""
    return {
        "Query": json.dumps({"Items": [record.endpoint], "Count": 1, "ScannedCount": 1}),
        "SendMessageBatch": json.dumps({"Successful": [], "Failed": []}),
    }


def stream_records(record: Recorded) -> list[dict[str, Any]]:
    """Return a batch of the stream."""
    sample = json.loads((ROOT / "events" / "fanout-stream.json").read_text(encoding="utf-8"))["Records"][0]
    records = []
    for number in range(BATCH):
        one, image = copy.deepcopy(sample), copy.deepcopy(record.outbox[0])
        event_id = f"evt_{number:032x}"
        image["PK"] = {"S": image["PK"]["S"].replace(image["id"]["S"], event_id)}
        image["id"] = {"S": event_id}
        one["dynamodb"] |= {"NewImage": image, "SequenceNumber": str(number)}
        records.append(one)
    return records
