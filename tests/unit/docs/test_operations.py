"""What the operator's guides say about the deployment is what the template deploys."""

import re
from typing import Any

from scripts.openapi import texts
from scripts.stack_queues import FACTS, FANOUT, QUEUES
from tests.support.template import ROOT, template

GUIDES = ROOT / "docs" / "guides"
RESOURCES: dict[str, Any] = template()["Resources"]
NUMBERS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]


def guide(name: str) -> str:
    return (GUIDES / f"{name}.md").read_text(encoding="utf-8")


def of_type(kind: str) -> set[str]:
    return {name for name, resource in RESOURCES.items() if resource["Type"] == kind}


def queue_name(name: str) -> str:
    written = RESOURCES[name]["Properties"]["QueueName"]
    text: str = written if isinstance(written, str) else written["Fn::Sub"]
    return text.replace("${AWS::StackName}", "<stack>")


def test_the_guide_to_operating_lists_every_dead_letter_queue() -> None:
    deployed = {queue_name(name) for name in of_type("AWS::SQS::Queue") if name.endswith("DeadLetters")}

    assert set(re.findall(r"^\| `(<stack>-[^`]+)` \|", guide("operating"), re.MULTILINE)) == deployed


def test_the_guide_to_operating_names_every_queue_that_redrive_takes() -> None:
    [sentence] = re.findall(r"The queue is (.*?)\. That is safe", guide("operating"), re.DOTALL)

    assert set(re.findall(r"`(\w+)`", sentence)) == {*QUEUES, FANOUT, FACTS}


def test_the_guide_to_operating_describes_every_alarm() -> None:
    monitoring = (ROOT / "template" / "monitoring.yaml").read_text(encoding="utf-8")
    loops = {
        "${Name}ErrorsAlarm",
        "${Name}ThrottlesAlarm",
        "${Name}DeadLettersAlarm",
    }
    alarms = set(re.findall(r'^ +(?:- )?"?([A-Za-z$&{}]+Alarm)"?:$', monitoring, re.MULTILINE))
    described = set(re.findall(r"^\| `(\w+Alarm)` \|", guide("operating"), re.MULTILINE))

    assert loops < alarms
    assert described == alarms - loops
    for words in (
        "| `…DeadLettersAlarm` |",
        "| errors of a function |",
        "| throttles of a function |",
    ):
        assert words in guide("operating")


def test_the_guide_to_deploying_counts_the_buckets() -> None:
    buckets = len(of_type("AWS::S3::Bucket"))

    assert f"the {NUMBERS[buckets]} buckets" in guide("deploying")


def test_the_guides_name_the_stages_of_samconfig() -> None:
    stages = re.findall(
        r"^\[(\w+)\.deploy\.parameters\]", (ROOT / "samconfig.toml").read_text(), re.MULTILINE
    )

    assert "the stages " + ", ".join(f"`{stage}`" for stage in stages[:-1]) + f" and `{stages[-1]}`" in guide(
        "deploying"
    )


def test_the_retry_schedule_is_the_templates_wherever_it_is_written() -> None:
    default = template()["Parameters"]["RetryDelaysSeconds"]["Default"]
    delays = [int(part) for part in default.split(",")]
    units = ((3_600, "hour"), (60, "minute"), (1, "second"))
    found = [(delay, next(unit for unit in units if delay % unit[0] == 0)) for delay in delays]
    long = [f"{delay // size} {name}{'s' if delay > size else ''}" for delay, (size, name) in found]
    rows = re.findall(
        r"^\| [2-5] \| (\d+ \w+) (?:later|after attempt \d) \|", guide("webhook-deliveries"), re.MULTILINE
    )

    assert f"| `RetryDelaysSeconds` | `{default}`" in guide("deploying")
    assert rows == long
    assert f"after {', '.join(long[:-1])} and {long[-1]}." in guide("webhook-deliveries")
    assert f"after {', '.join(long[:-1])} and {long[-1]}" in texts.DELIVERY.replace("\n", " ")
