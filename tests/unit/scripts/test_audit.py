"""make audit: what it says of what pip-audit found."""

from pathlib import Path
from typing import Any

import pytest

from scripts import audit

SKIPPED = {"name": "boto3", "skip_reason": "Dependency not found"}
SOUND = {"name": "six", "version": "1.17.0", "vulns": []}
UNSOUND = {
    "name": "urllib3",
    "version": "2.0.0",
    "vulns": [
        {"id": "CVE-2026-0001", "fix_versions": ["2.0.1"]},
        {"id": "CVE-2026-0002", "fix_versions": []},
    ],
}


def audited(monkeypatch: pytest.MonkeyPatch, *found: dict[str, Any] | None) -> int:
    rest: list[Any] = [[] for _ in audit.LISTS]
    answers = iter([*found, *rest])

    def answer(_: Path) -> Any:
        one = next(answers)
        return [one] if isinstance(one, dict) else one

    monkeypatch.setattr(audit, "_audited", answer)
    return audit.main()


def test_where_no_package_could_be_asked_about_it_says_so_and_fails_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert audited(monkeypatch, SKIPPED, SKIPPED) == 0
    assert capsys.readouterr().out == (
        "Not audited: the data on vulnerabilities cannot be reached from here. Run it where it can be.\n"
    )


def test_an_unreadable_file_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert audited(monkeypatch, None, SOUND) == 0
    first = capsys.readouterr().out.splitlines()[0]
    assert first.startswith("Not audited: pip-audit could not read layers/compiled/requirements.txt")


def test_a_known_vulnerability_is_named_and_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert audited(monkeypatch, SKIPPED, SOUND, UNSOUND) == 1
    assert capsys.readouterr().out.splitlines() == [
        "urllib3 2.0.0: CVE-2026-0001, fixed in 2.0.1",
        "urllib3 2.0.0: CVE-2026-0002, fixed in no version yet",
        "2 packages audited, 1 not, 1 vulnerable.",
    ]
