"""Similar signals: found by what their titles mean, among the newest ones, at a bounded cost."""

import numpy as np
import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.search.embeddings.minilm import MiniLm
from helpdesk.signals import similar
from helpdesk.signals.record import TitleVector
from helpdesk.storage import table
from tests.support.api import Client
from tests.support.aws import recorded_calls
from tests.support.signals import filed, jobs, merge, work


def found(api: Client, title: str) -> list[str]:
    answer = api.get(f"/v1/signals/similar?title={title}")
    assert answer.status == 200, answer.body
    return [each["title"] for each in answer.body["signals"]]


def test_a_synonym_is_found_and_another_subject_is_not(api: Client, stranger: Client) -> None:
    for title in ("Dark mode", "Cannot log in", "Invoice shows wrong VAT", "Search is slow"):
        filed(api, title)
    for job in jobs("title"):
        assert work(job) == "noted"

    assert found(api, "Sign-in+fails+with+an+error") == ["Cannot log in"]
    assert found(api, "Night+theme") == ["Dark mode"]
    assert found(api, "Finding+things+takes+too+long") == ["Search is slow"]
    assert found(api, "Parcels+arrive+late") == []
    assert found(stranger, "Night+theme") == []


def test_the_present_title_counts_and_a_merged_signal_stands_for_the_one_that_stays(api: Client) -> None:
    signal, duplicate = filed(api, "Dark mode"), filed(api, "Cannot log in")
    for job in jobs("title"):
        work(job)
    merge(api, signal, duplicate)
    assert (
        found(api, "Sign-in+fails")
        == found(api, "Night+theme")
        == found(api, "cannot+LOG+in")
        == ["Dark mode"]
    )

    api.patch(f"/v1/signals/{signal}", {"title": "Invoice shows wrong VAT"})
    [*_, renamed] = jobs("title")
    assert work(renamed) == "noted"
    assert found(api, "Night+theme") == []
    assert found(api, "Bill+has+incorrect+tax") == ["Invoice shows wrong VAT"]


def test_five_at_most_are_returned_the_most_similar_first_for_bounded_calls(
    api: Client, organization: NewOrganization, monkeypatch: pytest.MonkeyPatch
) -> None:
    axis = np.eye(4, dtype=np.float32)
    monkeypatch.setattr(MiniLm, "question", lambda *_: axis[0])
    for number in range(8):
        signal = filed(api, f"Title {number}")
        near = np.array([0.4 + number / 20, 0, 0, 0]) * 127
        vector = near.astype(np.int8).tobytes()
        table.put_new(TitleVector(organization.organization_id, signal, MiniLm.kind, vector, 1))

    with recorded_calls() as calls:
        titles = [each.title for each in similar.find(organization.organization_id, "Anything")]
    assert titles == ["Title 7", "Title 6", "Title 5", "Title 4", "Title 3"]
    assert calls == ["dynamodb:Query", "dynamodb:BatchGetItem", "dynamodb:BatchGetItem"]


def test_a_title_is_required_and_limited(api: Client) -> None:
    assert api.get("/v1/signals/similar").code == "invalid_request"
    assert found(api, "+") == []
    assert api.get(f"/v1/signals/similar?title={'a' * 201}").code == "invalid_request"
