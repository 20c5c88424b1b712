"""The beginning of an ID in place of the whole."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from helpdesk_cli import short_ids
from helpdesk_cli.output import fitted
from scripts.openapi.routes import all_routes
from tests.support.cli import Cli

FIRST = "conv_01jd3kq8w2h6c9g4s8d0m5x7ar"
SECOND = "conv_01jd3kq8w2h6c9g4s8d0m5x7zz"
OTHER = "conv_01jd9zzzzzh6c9g4s8d0m5x7ar"
ARCHIVED = "conv_01jc0000000000000000000000"


class Service:
    """The API with conversations, two to a page; keeps the requests."""

    def __init__(self, folder: Path, *ids: str, endless: bool = False) -> None:
        self.ids, self.endless = ids, endless
        self.requests: list[httpx.Request] = []
        self.cli = Cli(httpx.MockTransport(self._handle), folder, environment={"HELPDESK_TOKEN": "svc_oat_x"})

    def _handle(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        if request.method == "POST":
            return httpx.Response(200, json={"ok": True})
        query = request.url.params
        ids = [ARCHIVED] if "archived" in query else [*self.ids, *["conv_1"] * (2_000 if self.endless else 0)]
        start = int(query.get("cursor", "0"))
        size = int(query["limit"]) if self.endless else 2
        shown = [{"id": each, "subject": f"About {each[-2:]}"} for each in ids[start : start + size]]
        more = str(start + size) if start + size < len(ids) else None
        return httpx.Response(200, json={"conversations": shown, "nextCursor": more})

    def sent(self) -> list[tuple[str, Any]]:
        """The paths and bodies of what was written."""
        return [
            (request.url.path.rpartition("/v1/")[2], json.loads(request.content) if request.content else None)
            for request in self.requests
            if request.method == "POST"
        ]


@pytest.mark.parametrize("begins", ["conv_01jd3", "conv_01jd3kq8w2", FIRST[:-1], FIRST])
def test_the_beginning_of_an_id_names_the_only_thing_that_has_it(tmp_path: Path, begins: str) -> None:
    service = Service(tmp_path, OTHER, "conv_01jb0000000000000000000000", FIRST)
    service.cli.ok("conversations", "resolve", begins)
    assert service.sent() == [(f"conversations/{FIRST}/resolve", None)]


def test_a_whole_id_is_not_looked_up(tmp_path: Path) -> None:
    service = Service(tmp_path)
    service.cli.ok("conversations", "resolve", FIRST)
    assert [request.method for request in service.requests] == ["POST"]


def test_an_archived_conversation_is_found_too(tmp_path: Path) -> None:
    service = Service(tmp_path, FIRST)
    service.cli.ok("conversations", "unarchive", "conv_01jc")
    assert service.sent() == [(f"conversations/{ARCHIVED}/unarchive", None)]


def test_a_field_of_a_body_may_begin_an_id_as_well(tmp_path: Path) -> None:
    service = Service(tmp_path, FIRST, OTHER)
    service.cli.run("signals", "file", "The export stops", "--conversation", "conv_01jd3")
    assert service.sent() == [
        ("signals", {"kind": "bug", "title": "The export stops", "conversationId": FIRST})
    ]


def test_several_things_with_one_beginning_are_listed_and_nothing_is_sent(tmp_path: Path) -> None:
    service = Service(tmp_path, FIRST, OTHER, SECOND)
    result = service.cli.run("conversations", "resolve", "conv_01jd3kq")
    assert (result.exit_code, service.sent()) == (1, [])
    assert result.stderr.splitlines() == [
        "Error: 2 IDs begin with conv_01jd3kq. Give more of it:",
        f"  {FIRST}  About ar",
        f"  {SECOND}  About zz",
    ]


def test_an_unknown_beginning_is_sent_as_it_is_for_the_api_to_refuse(tmp_path: Path) -> None:
    service = Service(tmp_path, FIRST)
    service.cli.ok("conversations", "resolve", "conv_01aaaa")
    assert service.sent() == [("conversations/conv_01aaaa/resolve", None)]


def test_a_short_beginning_is_refused_where_not_everything_can_be_looked_through(tmp_path: Path) -> None:
    service = Service(tmp_path, FIRST, endless=True)
    refused = service.cli.run("conversations", "resolve", "conv_01jd3")
    assert (refused.exit_code, service.sent()) == (1, [])
    assert "only the newest 1,000 are looked through" in refused.stderr
    service.cli.ok("conversations", "resolve", FIRST[:15])
    assert service.sent() == [(f"conversations/{FIRST}/resolve", None)]
    assert len(service.requests) == 2 * 6 + 1  # five pages and the archive, each time


@pytest.mark.parametrize(
    "text", ["conv_1", "conv_", "usr_nobody", "ACME-12", "12", "evt_01jd3kq8w2", "words_01jd3"]
)
def test_other_texts_are_not_taken_for_the_beginning_of_an_id(text: str) -> None:
    assert not short_ids.is_beginning(text)


def test_a_table_in_a_terminal_shows_ids_that_differ_and_fits_its_width() -> None:
    headings = ("ID", "STATUS", "SUBJECT")
    subject = "The export of all invoices ends after the first thousand rows"
    rows = [
        [FIRST, "open", subject],
        [SECOND, "open", "配送が届きません、確認してください"],
        ["conv_1", "open", "-"],
    ]
    assert fitted(headings, rows, 60) == [
        ["conv_01jd3kq8w2h6c9g4s8d0m5x7a", "open", "The export of all i…"],
        ["conv_01jd3kq8w2h6c9g4s8d0m5x7z", "open", "配送が届きません、…"],
        ["conv_1", "open", "-"],
    ]
    assert fitted(headings, [[FIRST, "open", subject], [OTHER, "open", "-"]], 60) == [
        ["conv_01jd3kq8w2", "open", "The export of all invoices ends af…"],
        ["conv_01jd9zzzzz", "open", "-"],
    ]


def test_a_table_in_a_narrow_terminal_is_not_cut_to_nothing() -> None:
    assert fitted(("NAME", "TITLE"), [["x" * 70, "A title"]], 60) == [["x" * 70, "A title"]]


def test_the_lists_that_are_looked_through_are_those_of_the_api() -> None:
    answers = {route.path: route.answer for route in all_routes() if route.method == "GET"}
    for lists in short_ids._LISTS.values():
        for each in lists:
            answer = answers["/v1/" + "/".join(each.path)]
            fields = {field.alias or name for name, field in answer.model_fields.items()}  # type: ignore[union-attr]
            assert each.entries in fields
            assert ("nextCursor" in fields) == (each.entries not in short_ids._NOT_PAGED)


def test_a_question_before_something_is_lost_names_the_whole_id(tmp_path: Path) -> None:
    customer = "cus_01jd3kp2v7h6c9g4s8d0m5x7ar"

    def handle(request: httpx.Request) -> httpx.Response:
        assert request.method == "GET"
        return httpx.Response(200, json={"customers": [{"id": customer, "name": "Vera"}], "nextCursor": None})

    user = Cli(httpx.MockTransport(handle), tmp_path, environment={"HELPDESK_TOKEN": "svc_oat_x"})
    result = user.run("customers", "erase", "cus_01jd3", stdin="n\n")
    assert result.exit_code == 1
    assert f"Erase {customer} with all" in result.stderr
