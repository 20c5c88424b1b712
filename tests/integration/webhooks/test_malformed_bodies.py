"""Whatever is sent to POST /webhooks is refused with one of the specified codes, and nothing is stored."""

import json
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helpdesk.platform import clients
from tests.support import effort
from tests.support.api import Client

_scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=40)
_values = st.recursive(
    _scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner, max_size=4),
)
_urls = (
    st.text(max_size=60) | st.sampled_from(["https://", "https://localhost", "https://10.0.0.1/"]) | _values
)
_bodies = st.one_of(
    _values.map(json.dumps),
    st.text(max_size=80),
    st.fixed_dictionaries({"url": _urls, "events": _values}).map(json.dumps),
    st.fixed_dictionaries({"url": _urls}, optional={"events": st.just([])}).map(json.dumps),
)
CODES = {"invalid_json", "invalid_request", "invalid_url", "no_events"}


def stored() -> list[Any]:
    items = clients.dynamodb().scan(TableName="helpdesk-test")["Items"]
    return [item for item in items if "#ALLOWANCE#" not in item["PK"]["S"]]


def test_hundreds_of_malformed_bodies_are_refused_and_leave_nothing(api: Client) -> None:
    before = stored()

    @settings(
        max_examples=effort.of(150, 500),
        deadline=None,
        suppress_health_check=list(HealthCheck),
        database=None,
    )
    @given(_bodies)
    def refused(body: str) -> None:
        answer = api.post("/v1/webhooks", body)
        assert answer.status == 400, (body, answer)
        assert answer.code in CODES, (body, answer)
        assert answer.message.endswith("."), answer

    refused()
    assert stored() == before
