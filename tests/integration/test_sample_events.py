"""Every file of events/ is an event that its function takes."""

import json
from pathlib import Path

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from scripts.local.sam_local import FUNCTIONS
from tests.support.api import Context, function
from tests.support.template import ROOT, template

EVENTS = sorted((ROOT / "events").glob("*.json"))


def folder_of(logical_id: str) -> str:
    """Return the folder of the function that the template deploys under a name."""
    return Path(template()["Resources"][logical_id]["Properties"]["CodeUri"]).name


def samples_of_workers() -> set[str]:
    """Return the samples that workers and scheduled jobs need: one for each kind of source."""
    kinds = {"SQS": "queue", "Schedule": "schedule", "DynamoDB": "stream"}
    return {
        f"{folder_of(name).replace('_', '-')}-{kinds[source['Type']]}"
        for name, resource in template()["Resources"].items()
        if resource["Type"] == "AWS::Serverless::Function"
        for source in resource["Properties"].get("Events", {}).values()
    }


def test_every_worker_and_scheduled_job_has_a_sample_and_so_has_a_route() -> None:
    assert {event.stem for event in EVENTS} == {*samples_of_workers(), "messages-request"}


def test_a_samples_name_leads_to_its_function() -> None:
    assert {event.stem for event in EVENTS} == set(FUNCTIONS)
    assert FUNCTIONS["messages-request"] == "MessagesFunction"
    assert FUNCTIONS["auto-resolve-schedule"] == "AutoResolveFunction"
    assert set(FUNCTIONS.values()) <= set(template()["Resources"])


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: str(event.stem))
def test_a_sample_is_taken_without_a_failure(event: Path, organization: NewOrganization) -> None:
    text = event.read_text(encoding="utf-8").replace(
        "svc_key_replace-with-the-key-that-make-dev-prints", organization.secret_key
    )
    answer = function(folder_of(FUNCTIONS[event.stem])).handler(json.loads(text), Context())
    if event.stem.endswith("-schedule"):
        assert answer is None
    elif event.stem == "messages-request":
        assert answer["statusCode"] == 200, answer
    else:
        assert answer == {"batchItemFailures": []}
