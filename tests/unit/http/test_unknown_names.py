"""The name that was probably meant."""

import json
import time
from typing import Any

import pytest

from helpdesk.api.http.unknown_names import nearest, require_known_parameters, unknown_field
from helpdesk.api.http.validation import parse_body
from helpdesk.platform.errors import InvalidRequest
from scripts.openapi.routes import all_routes

KNOWN = ("body", "attachments", "takeOver", "reopen", "awaitingHuman", "customerId", "from", "to")


@pytest.mark.parametrize(
    ("sent", "meant"),
    [
        ("takeover", "takeOver"),
        ("take_over", "takeOver"),
        ("TakeOver", "takeOver"),
        ("take-over", "takeOver"),
        ("attachment", "attachments"),
        ("attachements", "attachments"),
        ("re-open", "reopen"),
        ("awaiting_human", "awaitingHuman"),
        ("customer", "customerId"),
        ("form", "from"),
        ("colour", None),
        ("zzz", None),
        ("", None),
        ("_", None),
    ],
)
def test_the_nearest_name_is_the_one_that_was_meant(sent: str, meant: str | None) -> None:
    assert nearest(sent, KNOWN) == meant


def test_parameters_that_caches_and_links_add_are_ignored() -> None:
    require_known_parameters(["limit", "_", "_t", "__cachebust", "utm_source", "utm_campaign"], ["limit"])
    require_known_parameters(["_"], [])


@pytest.mark.parametrize("name", ["utm", "u_", "cache_", "limit_", "UTM_source"])
def test_other_unknown_parameters_are_refused(name: str) -> None:
    with pytest.raises(InvalidRequest, match=f"Unknown query parameter `{name}`"):
        require_known_parameters(["_", name], ["limit"])


@pytest.mark.parametrize(
    ("path", "sent", "meant"),
    [
        ("/v1/signals/<signal_id>", {"status": "in_progress"}, "in progress"),
        ("/v1/signals/<signal_id>", {"status": "In Review"}, "in review"),
        ("/v1/signals/<signal_id>", {"priority": "hgh"}, "high"),
        ("/v1/tasks/<task_id>", {"status": "in progress"}, "in_progress"),
        ("/v1/tasks/<task_id>", {"status": "in-review"}, "in_review"),
        ("/v1/members/<user_id>", {"role": "Admin"}, "admin"),
        ("/v1/webhooks/<endpoint_id>", {"events": ["message_created"]}, "message.created"),
        ("/v1/signals/<signal_id>", {"status": "someday"}, None),
        ("/v1/signals/<signal_id>", {"status": 7}, None),
    ],
)
def test_a_value_in_another_spelling_is_refused_with_the_one_that_was_meant(
    path: str, sent: dict[str, Any], meant: str | None
) -> None:
    route = next(each for each in all_routes() if (each.method, each.path) == ("PATCH", path))
    assert route.body is not None
    with pytest.raises(InvalidRequest) as refused:
        parse_body(route.body[1], json.dumps(sent), is_base64=False)

    assert " must be one of " in refused.value.message
    assert refused.value.message.partition(" Did you mean ")[2] == (f"`{meant}`?" if meant else "")


def test_a_name_as_long_as_a_body_is_not_compared() -> None:
    started = time.perf_counter()

    assert nearest("takeover" * 100_000, KNOWN) is None
    assert time.perf_counter() - started < 0.1


def test_a_long_name_is_cut_in_the_message() -> None:
    assert len(unknown_field("", "x" * 100_000, KNOWN)) < 400
