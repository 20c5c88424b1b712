"""Signals on the command line."""

from tests.support.api import Client
from tests.support.cli import Cli
from tests.support.signals import conversation, jobs, read, work


def test_a_signal_is_filed_reported_listed_and_shown(owner: Cli, api: Client) -> None:
    assert owner.ok("signals") == "There are no signals yet.\n"
    asked = conversation(api, user={"name": "Vera"})
    filed = owner.ok(
        *("signals", "file", "The export stops", "--priority", "high", "--body", "At row 1,000."),
        *("--conversation", asked, "--quote", "Half is missing!", "--image", "https://a.example/b.png"),
    )
    signal = filed.split()[1].rstrip(".")
    assert filed == f"Filed {signal}.\n"

    said = owner.ok("signals", "report", signal, "--who", "Grace")
    assert said == f"Reported {signal}, which has 2 reporters now.\n"

    listed = owner.ok("signals", "list", "--kind", "bug", "--status", "open", "--priority", "high")
    assert listed.splitlines()[0].split() == [
        *("ID", "KIND", "STATUS", "PRIORITY", "REPORTERS", "FILED", "TITLE")
    ]
    assert "The export stops" in listed
    assert owner.ok("signals", "list", "--status", "done") == "No signals match.\n"
    shown = owner.ok("signals", "show", signal)
    assert "At row 1,000." in shown
    assert "Half is missing!" in shown
    assert owner.json("signals", "show", signal) == read(api, signal)
    assert owner.json("signals", "list")["signals"] == [read(api, signal)["signal"]]


def test_a_signal_is_changed_merged_and_found_by_its_meaning(owner: Cli, api: Client) -> None:
    signal = owner.json("signals", "file", "Dark mode", "--kind", "suggestion")["id"]
    duplicate = owner.json("signals", "file", "Night colors")["id"]
    for job in jobs("title"):
        work(job)

    said = owner.ok("signals", "set", signal, "--status", "done", "--no-notify")
    assert said == f"{signal} is done, priority medium: Dark mode\n"
    assert [job.notify for job in jobs("status")] == [False]
    assert owner.ok("signals", "merge", signal, duplicate) == f"Merged {duplicate} into {signal}.\n"
    assert [each["id"] for each in owner.json("signals", "similar", "Night theme")["signals"]] == [signal]
    assert owner.ok("signals", "similar", "Parcels arrive late") == "There are no similar signals.\n"


def test_a_refusal_says_what_to_do(owner: Cli) -> None:
    owner.ok("signals", "file", "Dark mode")
    taken = owner.run("signals", "file", "dark MODE")
    assert (taken.exit_code, "helpdesk signals report ID" in taken.stderr) == (1, True)
    unknown = owner.run("signals", "show", "signal_01jd3s9t2x6h0k3m5n8p1q4r7v")
    assert (unknown.exit_code, "List them: helpdesk signals list" in unknown.stderr) == (1, True)
