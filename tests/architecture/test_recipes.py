"""The cost of a new route group, queue worker or scheduled job (CONTRIBUTING.md): template lines and places to edit."""

import re

from scripts.openapi import texts
from scripts.openapi.routes import routes_by_function
from tests.support.rules import for_each
from tests.support.template import MOST_LINES_OF_A_PART, ROOT

MOST_LINES = 25
# One function of each kind that does one thing. Others have longer policies, because they do more.
EXAMPLES = {"a route group": "AgentSettings", "a queue worker": "Mailer", "a scheduled job": "UploadCleanup"}
POLICIES = {
    "AgentSettings": "template/policies.yaml"
}  # of the API; the others' are those of workers and jobs
WORKER_POLICIES = "template/worker_policies.yaml"
GENERATED = ("template/generated/resources.json", "template/generated/api.json")
each_example = for_each("name", sorted(EXAMPLES.values()))


def lines_of(path: str) -> list[str]:
    return (ROOT / path).read_text(encoding="utf-8").splitlines()


def block(path: str, key: str) -> list[str]:
    """Return the lines of a resource, without comments and blank lines."""
    lines = lines_of(path)
    [start] = [number for number, line in enumerate(lines) if line.strip() == f"{key}:"]
    indent = len(lines[start]) - len(lines[start].lstrip())
    found = [lines[start]]
    for line in lines[start + 1 :]:
        if line.strip() and len(line) - len(line.lstrip()) <= indent:
            break
        found.append(line)
    return [line for line in found if line.strip() and not line.strip().startswith("#")]


def policies_of(name: str) -> str:
    """Return the file with the policy of a function's role."""
    return POLICIES.get(name, WORKER_POLICIES)


def lists_with(path: str, name: str) -> int:
    """Return the number of loops' lists that name a function."""
    text = re.sub(r"#.*", "", "\n".join(lines_of(path)))
    return sum(
        name in re.findall(r"\w+", names) for names in re.findall(r"(?:&[\w-]+|\n *-)\s+\[([\w,\s]+)\]", text)
    )


@each_example
def test_it_takes_at_most_25_lines_of_template(name: str) -> None:
    lines = block("template.yaml", f"{name}Function") + block(policies_of(name), f"{name}Policy")

    assert len(lines) <= MOST_LINES


def test_the_template_has_room_for_one_more_function() -> None:
    assert len(lines_of("template.yaml")) <= MOST_LINES_OF_A_PART - MOST_LINES


@each_example
def test_it_takes_one_place_in_each_other_list(name: str) -> None:
    assert lists_with("template.yaml", name) == 1  # that it can reserve executions
    assert lists_with("template/roles.yaml", name) == 1
    assert lists_with("template/monitoring.yaml", name) == 1


@each_example
def test_it_takes_one_parameter_that_its_own_lines_alone_refer_to(name: str) -> None:
    def mentions(lines: list[str]) -> int:
        return len(re.findall(rf"\b{name}ReservedConcurrency\b", "\n".join(lines)))

    own = mentions(block("template.yaml", f"{name}Function"))
    assert own > 0
    assert mentions(block("template.yaml", "Parameters")) == 1
    assert mentions(lines_of("template.yaml")) == own + 1


def test_a_route_group_takes_one_place_for_each_first_part_of_its_paths() -> None:
    parts = {route.path.split("/")[2] for route in routes_by_function()["agent_settings"]}
    described = (ROOT / "scripts/openapi/texts.py").read_text(encoding="utf-8")

    assert parts <= set(texts.GROUPS)
    assert {part: described.count(f'"{part}"') for part in parts} == dict.fromkeys(parts, 1)


@each_example
def test_no_other_deployed_file_names_it(name: str) -> None:
    folder = re.sub(r"(?<!^)([A-Z])", r"_\1", name).lower()
    sources = [
        path.relative_to(ROOT).as_posix()
        for top in ("layers", "template", "functions", "scripts")
        for path in (ROOT / top).rglob("*")
        if path.suffix in {".py", ".yaml", ".json"} and folder not in path.parts
        if re.search(rf"\b({name}(Function|Policy)|functions/{folder})\b", path.read_text(encoding="utf-8"))
    ]

    # The gateway's paths and the whole of the parts are generated.
    assert {policies_of(name)} <= set(sources)
    assert set(sources) <= {policies_of(name), *GENERATED}


def test_a_queue_takes_one_place_in_each_list_of_queues() -> None:
    queues = "\n".join(lines_of("template/queues.yaml"))
    watched = "\n".join(lines_of("template/monitoring.yaml"))
    root = "\n".join(lines_of("template.yaml"))

    assert (
        len(re.findall(r"\[Agent, Knowledge, Mail, Outreach, Suggestion, Erase\]", queues)) == 1
    )  # the queue and its dead letters
    tls_only = " ".join(block("template/queues.yaml", "Fn::ForEach::QueuesTlsOnly"))
    assert len(re.findall(r"\bMailQueue\b", tls_only)) == 1
    assert (
        len(re.findall(r"\[Agent, Knowledge, Mail, Outreach, Suggestion, Erase\]", watched)) == 1
    )  # the alarm of its dead letters
    assert len(re.findall(r"\bMail: \{VisibilityTimeout", root)) == 1
    assert (
        len(
            re.findall(
                r"\[Delivery, Retry, Crawl, ToolSync, Signal, Agent, Knowledge, Search, Mail, Outreach, Suggestion, "
                r"Timer, Erase, Integration, MailEvents\]",
                root,
            )
        )
        == 1
    )  # outputs
