"""Hundreds of malformed bodies: each is refused with a code of the specification, and nothing is stored."""

import json
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.api.admission.limits import RequestClass
from helpdesk.api.admission.record import Allowance
from helpdesk.storage import table
from helpdesk.storage.table import Item
from tests.support import effort
from tests.support import table as whole_table
from tests.support.api import Client

# Specification: POST /messages, 400 codes.
CODES = {
    "invalid_json",
    "invalid_request",
    "invalid_session",
    "empty_message",
    "message_too_long",
    "too_many_attachments",
    "attachment_missing",
}
GOOD: dict[str, Any] = {
    "session": "session-of-a-visitor",
    "body": "Hello",
    "user": {"name": "Vera", "metadata": {"plan": "pro"}},
    "context": {"device": "mobile"},
    "page": {"url": "https://example.com"},
}

type Objects = st.SearchStrategy[dict[str, Any]]
floats = st.floats(allow_nan=False, allow_infinity=False)
words = st.text(max_size=8)
scalars = st.none() | st.booleans() | st.integers() | floats | st.text(max_size=20)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=8,
)
lists = st.lists(values, max_size=2)
objects = st.dictionaries(words, values, max_size=2)
not_text = st.booleans() | st.integers() | lists | objects
not_objects = st.booleans() | st.integers() | words | lists
short_or_long = st.text(max_size=7) | st.text(min_size=1, max_size=5).map(lambda text: "x" * 129 + text + "x")
# Spelled so that none of them is a known name.
unknown_fields = st.dictionaries(words.map(lambda name: f"x{name}"), values, min_size=1, max_size=2)
no_device = st.text().filter(lambda device: device not in {"desktop", "tablet", "mobile"})
no_facts = st.dictionaries(words, lists | objects, min_size=1, max_size=3)
unknown_files = st.fixed_dictionaries({"id": st.text(max_size=200), "name": words})


def changed(**fields: st.SearchStrategy[Any]) -> Objects:
    """Draw a good body in which these fields are replaced."""
    return st.fixed_dictionaries(fields).map(lambda drawn: {**GOOD, **drawn})


def within(part: str, base: dict[str, Any], **fields: st.SearchStrategy[Any]) -> Objects:
    """Draw a good body in which these fields of one part are replaced."""
    return st.fixed_dictionaries(fields).map(lambda drawn: {**GOOD, part: {**base, **drawn}})


bad_objects = st.one_of(
    changed(session=not_text | st.none() | short_or_long),
    changed(body=not_text | st.none()),
    changed(body=st.sampled_from(["", " ", "\n\ufeff", "x" * 4_001, "😀" * 4_001])),
    *(changed(**{part: not_objects}) for part in ("user", "context", "page")),
    unknown_fields.map(lambda fields: {**GOOD, "user": {**GOOD["user"], **fields}}),
    unknown_fields.map(lambda fields: {**GOOD, "context": {**GOOD["context"], **fields}}),
    unknown_fields.map(lambda fields: {**GOOD, "page": {**GOOD["page"], **fields}}),
    within("user", {}, name=not_text),
    within("user", {}, email=not_text),
    within("user", {}, metadata=words | lists | st.integers()),
    within("user", {}, metadata=no_facts),
    within("context", {}, device=no_device),
    within("context", {}, locale=not_text),
    within("page", {}, title=values),  # and no url
    within("page", {}, url=not_text | st.none()),
    within("page", GOOD["page"], referrer=not_text),
    changed(attachments=st.booleans() | st.integers() | words | objects),
    changed(attachments=st.lists(scalars, min_size=1, max_size=3)),
    changed(attachments=st.lists(unknown_files, min_size=1, max_size=8)),
    st.sampled_from(["session", "body"]).map(lambda gone: {k: v for k, v in GOOD.items() if k != gone}),
)
not_objects_at_all = values.filter(lambda value: not isinstance(value, dict))
wire = st.one_of(
    bad_objects.map(json.dumps),
    bad_objects.map(lambda body: json.dumps(body, ensure_ascii=False)),
    not_objects_at_all.map(json.dumps),
    st.text(max_size=60),
    # A good body, cut short, and one with something behind it.
    st.integers(0, len(json.dumps(GOOD)) - 1).map(lambda length: json.dumps(GOOD)[:length]),
    st.text(min_size=1, max_size=5).filter(str.strip).map(lambda text: json.dumps(GOOD) + text),
    st.sampled_from(
        ["NaN", "Infinity", '"\\ud8"', "01", "1.", "[" * 3_000, "'x'", '"\x01"', "undefined"]
    ).map(lambda raw: json.dumps(GOOD)[:-1] + f', "more": {raw}}}'),
)


def stored(organization: NewOrganization) -> list[Item]:
    """Return everything in the table but the allowance, which every request is charged to."""
    bucket = Allowance.key_for(organization.organization_id, RequestClass.WRITE.value).pk
    return sorted(
        (item for item in whole_table.everything() if item["PK"] != bucket), key=lambda i: (i["PK"], i["SK"])
    )


@settings(max_examples=effort.of(250, 1_000), deadline=None, suppress_health_check=list(HealthCheck))
@given(body=wire)
def _refuse(api: Client, organization: NewOrganization, body: str) -> None:
    answer = api.post("/v1/messages", body)

    assert answer.status == 400, (answer, body)
    assert answer.code in CODES, (answer, body)
    assert set(answer.body) == {"error"}
    assert set(answer.body["error"]) == {"code", "message"}


def test_hundreds_of_malformed_bodies_are_refused_and_leave_nothing(
    api: Client, organization: NewOrganization
) -> None:
    assert api.post("/v1/messages", GOOD).status == 200
    before = stored(organization)

    _refuse(api, organization)

    assert stored(organization) == before
    assert table.get(Allowance.key_for(organization.organization_id, "write")) is not None
