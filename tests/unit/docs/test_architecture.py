"""docs/architecture.md: its tables are those of the template, and its links lead to files."""

import re

from scripts.architecture import PAGE, with_tables
from tests.support.template import template

TEXT = PAGE.read_text(encoding="utf-8")


def test_the_tables_of_functions_are_up_to_date() -> None:
    assert with_tables(TEXT) == TEXT, "Run `make openapi`."


def test_every_function_is_listed_once() -> None:
    functions = [
        resource["Properties"]["CodeUri"]
        for resource in template()["Resources"].values()
        if resource.get("Type") == "AWS::Serverless::Function"
    ]

    assert sorted(re.findall(r"\]\(\.\./(functions/\w+)/app\.py\)", TEXT)) == sorted(functions)


def test_the_picture_counts_the_queues() -> None:
    queues = [
        name
        for name, resource in template()["Resources"].items()
        if resource.get("Type") == "AWS::SQS::Queue" and name.endswith("Queue")
    ]

    assert f"{len(queues)} SQS queues" in TEXT


def test_every_link_leads_to_a_file() -> None:
    targets = re.findall(r"\]\(([^)#:]+)", TEXT)

    assert [target for target in targets if not (PAGE.parent / target).exists()] == []
