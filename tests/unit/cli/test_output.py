import json
from pathlib import Path

import pytest

from helpdesk_cli.output import moment
from helpdesk_cli.text import one_line, safe
from tests.support.cli import Cli, answering

LIMITS = {
    "tier": "explore",
    "version": "2026-11-20",
    "limits": {"read": {"perMinute": 120, "burst": 20}, "write": {"perMinute": 30, "burst": 10}},
}
WEBHOOK = {
    "id": "wh_1",
    "url": "https://receiver.example/hooks",
    "events": ["a", "b"],
    "status": "none",
    "lastDeliveryAt": None,
    "failingSince": 1_790_000_000_000,
    "keyId": None,
}


def cli(folder: Path, *webhooks: object) -> Cli:
    answers = {"GET /v1/billing/limits": LIMITS, "GET /v1/webhooks": {"webhooks": list(webhooks)}}
    return Cli(answering(answers), folder, environment={"HELPDESK_TOKEN": "svc_oat_x"})


@pytest.mark.usefixtures("_tokyo")
def test_times_are_shown_in_the_local_time_zone_with_its_offset() -> None:
    assert moment(1_790_000_000_000) == "2026-09-21 23:13:20+09:00"
    assert moment(0) == "1970-01-01 09:00:00+09:00"
    assert moment(None) == "-"


def test_a_time_beyond_the_calendar_is_shown_as_a_number() -> None:
    assert moment(10**18) == "1000000000000000000"


@pytest.mark.usefixtures("_tokyo")
def test_a_list_is_a_table(tmp_path: Path) -> None:
    assert cli(tmp_path, WEBHOOK, {**WEBHOOK, "id": "wh_twelve", "events": ["a"]}).ok(
        "webhooks"
    ).splitlines() == [
        "ID         STATUS  LAST DELIVERY  FAILING SINCE              KEY  URL                             EVENTS",
        "wh_1       none    -              2026-09-21 23:13:20+09:00  -    https://receiver.example/hooks  a, b",
        "wh_twelve  none    -              2026-09-21 23:13:20+09:00  -    https://receiver.example/hooks  a",
    ]


def test_an_empty_list_says_what_to_do(tmp_path: Path) -> None:
    assert cli(tmp_path).ok("webhooks", "list").startswith("There are no webhook endpoints yet. Add one:")


def test_wide_letters_take_two_columns(tmp_path: Path) -> None:
    rows = cli(tmp_path, {**WEBHOOK, "id": "東京"}, {**WEBHOOK, "id": "abcd"}).ok("webhooks").splitlines()
    assert rows[1].startswith("東京  none")
    assert rows[2].startswith("abcd  none")


def test_json_is_the_response_itself(tmp_path: Path) -> None:
    strange = {**WEBHOOK, "new": {"field": "ü \x1b[2J \x9b \ud800"}}
    shown = cli(tmp_path, strange).ok("webhooks", "--json")
    assert json.loads(shown) == {"webhooks": [strange]}
    assert cli(tmp_path, strange).ok("--json", "webhooks", "list") == shown
    assert "\x1b" not in shown
    assert "\x9b" not in shown
    assert "ü" in shown


def test_output_is_colored_only_in_terminals_that_allow_it(tmp_path: Path) -> None:
    user = cli(tmp_path)
    assert "\x1b[1m" in user.run("limits", color=True).stdout
    assert "\x1b" not in user.run("limits").stdout
    user.environment["TERM"] = "dumb"
    assert "\x1b" not in user.run("limits", color=True).stdout
    user.environment |= {"TERM": "xterm", "NO_COLOR": "1"}
    assert "\x1b" not in user.run("limits", color=True).stdout


def test_text_from_others_cannot_control_the_terminal() -> None:
    assert safe("a\x1b[2Jb\rc\x07\u202e\x9b\ud800\n\td") == "a\ufffd[2Jb\ufffdc\ufffd\ufffd\ufffd\ufffd\n\td"
    assert one_line(" a\r\nb\tc ") == "a b c"


def test_the_unlimited_tier_has_no_table(tmp_path: Path) -> None:
    answers = {"GET /v1/billing/limits": {"tier": "unlimited", "version": "2026-11-20", "limits": None}}
    user = Cli(answering(answers), tmp_path, environment={"HELPDESK_TOKEN": "svc_oat_x"})
    assert (
        user.ok("limits") == "Tier unlimited (limits as of 2026-11-20)\nNo fixed limit; fair use applies.\n"
    )
