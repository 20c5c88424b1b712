"""Every file of events/ is an event that its function takes."""

import json
from pathlib import Path

import pytest

from helpdesk.organizations.schemas import NewOrganization
from scripts.local.sam_local import FUNCTIONS
from tests.support.api import Context, function
from tests.support.template import ROOT, template

EVENTS = sorted((ROOT / "events").glob("*.json"))


def folder_of(logical_id: str) -> str:
    """Return the folder of the function that the template deploys under a name."""
    return Path(template()["Resources"][logical_id]["Properties"]["CodeUri"]).name


def test_every_sample_is_of_a_function() -> None:
    assert {event.stem for event in EVENTS} == set(FUNCTIONS)


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: str(event.stem))
def test_a_sample_is_taken_without_a_failure(event: Path, organization: NewOrganization) -> None:
    text = event.read_text(encoding="utf-8").replace(
        "svc_key_replace-with-the-key-that-make-dev-prints", organization.secret_key
    )
    answer = function(folder_of(FUNCTIONS[event.stem])).handler(json.loads(text), Context())
    if event.stem.endswith("-schedule"):
        assert answer is None
    elif event.stem == "post-message":
        assert answer["statusCode"] == 200, answer
    else:
        assert answer == {"batchItemFailures": []}
