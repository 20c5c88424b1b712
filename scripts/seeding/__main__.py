"""`make seed`: fill the running local stack with conversations of a busy support desk.

    python -m scripts.seeding --conversations 1000 --seed 1

The demo organization of `.local/stack.json` gets them, as if its visitors had written up to this moment (plan.py).
No events are sent: the items are written without the attribute that the fan-out's stream filter requires, so no webhook
is delivered and no agent answers. The conversations can be searched once the search queue is empty.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import batched, cycle, islice
from pathlib import Path
from typing import Any

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from helpdesk.accounts.members.record import Member
from helpdesk.conversations.record import Session
from helpdesk.platform.units import DAY_MS
from helpdesk.storage.collection import Collection
from scripts.local.progress import Problem, Progress
from scripts.local.settings import ACCOUNT, LOCAL, REGION, STACK_NAME

_WRITTEN_AT_ONCE = 25  # BatchWriteItem's limit
_SENT_AT_ONCE = 10  # SendMessageBatch's
_SAYS_EVERY_SECONDS = 5
_AGENT = "Helpdesk"


@dataclass(frozen=True, slots=True)
class Stack:
    """The running local stack: clients for it, and what its stack.json says."""

    dynamodb: Any
    sqs: Any
    search_queue: str
    description: dict[str, str]

    @classmethod
    def running(cls, file: Path) -> "Stack":
        """Return the stack that a file describes. Errors: Problem."""
        try:
            description = json.loads(file.read_text(encoding="utf-8"))
            named = {"endpoint_url": description["endpoint_url"], "region_name": REGION} | {
                name.lower(): value for name, value in ACCOUNT.items()
            }
            outputs = boto3.client("cloudformation", **named).describe_stacks(StackName=STACK_NAME)["Stacks"][
                0
            ]
            found = {output["OutputKey"]: output["OutputValue"] for output in outputs["Outputs"]}
            return cls(
                boto3.client("dynamodb", **named),
                boto3.client("sqs", **named),
                found["SearchQueueUrl"],
                description | {"files": found["FilesBucketName"]},
            )
        except (OSError, ValueError, KeyError, BotoCoreError, ClientError) as error:
            raise Problem(f"There is no running stack ({error!r}). Start one with: make up") from error


def main() -> int:
    """Seed; return 1 with one line on standard error if that is impossible."""
    parser = argparse.ArgumentParser(prog="python -m scripts.seeding")
    parser.add_argument("--conversations", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=1, help="another one makes other conversations")
    parser.add_argument("--stack-file", type=Path, default=LOCAL / "stack.json")
    given = parser.parse_args()
    progress = Progress()
    try:
        stack = Stack.running(given.stack_file)
        _be_the_product(stack)
        _seed(stack, given.conversations, given.seed, progress)
    except Problem as problem:
        print(problem, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nBroken off. What was written stays.", file=sys.stderr)
        return 130
    return 0


def _be_the_product(stack: Stack) -> None:
    """Set what the product's settings and clients read from the environment."""
    os.environ |= {
        **ACCOUNT,
        "AWS_DEFAULT_REGION": REGION,
        "AWS_ENDPOINT_URL": stack.description["endpoint_url"],
        "LOCAL_ENDPOINT_URL": stack.description["endpoint_url"],
        "STAGE": "local",
        "TABLE_NAME": stack.description["table"],
        "FILES_BUCKET": stack.description["files"],
    }


def _seed(stack: Stack, count: int, seed: int, progress: Progress) -> None:
    # The product reads its settings when it is first used, so none of it is imported before they are set.
    from scripts.seeding.plan import BETWEEN_MS  # noqa: PLC0415
    from scripts.seeding.simulate import session_of  # noqa: PLC0415

    organization = stack.description["organization_id"]
    days = count * BETWEEN_MS / DAY_MS
    progress.say(f"Holding {count:,} conversations of the last {days:.1f} days (seed {seed}).")
    written, conversations, said = 0, list[str](), time.monotonic()
    for items in batched(_items(stack, count, seed), _WRITTEN_AT_ONCE, strict=False):
        _write(stack, items)
        written += len(items)
        conversations += [item["id"]["S"] for item in items if item["SK"]["S"] == "CONV"]
        if time.monotonic() - said > _SAYS_EVERY_SECONDS:
            progress.say(f"{len(conversations):,} of {count:,} conversations, {written:,} items")
            said = time.monotonic()
    progress.say(
        f"{len(conversations):,} conversations, {written:,} items. Asking for them to be searchable."
    )
    for some in batched(conversations, _SENT_AT_ONCE, strict=False):
        bodies = [{"organization": organization, "conversationId": each} for each in some]
        entries = [
            {"Id": str(n), "MessageBody": json.dumps(body), "MessageGroupId": organization}
            for n, body in enumerate(bodies)
        ]
        stack.sqs.send_message_batch(QueueUrl=stack.search_queue, Entries=entries)
    progress.say(f"Done. The newest visitor's session is {session_of(0, seed)!r}.")


def _items(stack: Stack, count: int, seed: int) -> Iterator[dict[str, Any]]:
    """Yield the items to write. Errors: Problem where they are there already."""
    from helpdesk.api.admission.caller import Caller, Person, Role  # noqa: PLC0415 - see _seed
    from helpdesk.conversations.messages.sessions import hashed  # noqa: PLC0415
    from helpdesk.platform import clock  # noqa: PLC0415
    from helpdesk.storage import table  # noqa: PLC0415
    from scripts.seeding.plan import TEAM, visitors  # noqa: PLC0415
    from scripts.seeding.simulate import Desk, session_of, simulate  # noqa: PLC0415

    organization = stack.description["organization_id"]
    if table.get(Session.key_for(organization, hashed(session_of(0, seed)))) is not None:
        raise Problem(f"Seed {seed} was used already. For other conversations: make seed SEED={seed + 1}")
    members = Collection(Member).all(organization)
    team = [Caller(organization, person=Person(each.user_id, each.name, Role.MEMBER)) for each in members]
    desk = Desk(
        organization=organization,
        members=[table.to_wire(each.to_item()) for each in members],
        team=list(islice(cycle(team), TEAM)),
        endpoints=[],
        base_url=stack.description["base_url"],
        now=clock.now_ms(),
        seed=seed,
        agent=_AGENT,
    )
    for visitor in visitors(count, seed):
        for item in simulate(desk, visitor):
            item.pop("entity", None)  # what the stream's filter lets through
            yield item


def _write(stack: Stack, items: tuple[dict[str, Any], ...]) -> None:
    wanted: dict[str, Any] = {stack.description["table"]: [{"PutRequest": {"Item": item}} for item in items]}
    while wanted:
        wanted = stack.dynamodb.batch_write_item(RequestItems=wanted)["UnprocessedItems"]


if __name__ == "__main__":
    sys.exit(main())
