"""The operator's command that stores an app's credentials."""

from pathlib import Path

import pytest

from helpdesk.integrations import credentials
from helpdesk.integrations.apps import App
from scripts import admin


@pytest.fixture(autouse=True)
def _stack(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admin, "use_stack", lambda *_, **__: None)


def test_credentials_are_stored_and_not_shown(capsys: pytest.CaptureFixture[str]) -> None:
    given = ["client_id=an id", "client_secret=a=secret", "hook_secret=another"]

    assert admin.main(["set-app", "tracker", *given]) == 0
    stored = credentials.of(App.TRACKER)
    assert stored is not None
    assert stored["client_secret"] == "a=secret"
    assert "a=secret" not in capsys.readouterr().out
    assert "secret" not in repr(stored)


def test_a_private_key_is_read_from_its_file(tmp_path: Path) -> None:
    key = tmp_path / "key.pem"
    key.write_text("-----BEGIN RSA PRIVATE KEY-----\n")
    names = ("app_id", "slug", "client_id", "client_secret", "hook_secret")
    given = [f"{name}=x" for name in names]

    assert admin.main(["set-app", "codehost", *given, f"private_key={key}"]) == 0
    assert admin.main(["set-app", "codehost", *given, f"private_key={tmp_path / 'none'}"]) == 1
    stored = credentials.of(App.CODEHOST)
    assert stored is not None
    assert stored["private_key"] == "-----BEGIN RSA PRIVATE KEY-----\n"


@pytest.mark.parametrize(
    "given", [["client_id=x"], ["client_id=x", "client_secret=", "hook_secret=z"], ["other=x"]]
)
def test_what_is_missing_or_unknown_is_named(given: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert admin.main(["set-app", "tracker", *given]) == 1
    assert "tracker takes client_id, client_secret, hook_secret" in capsys.readouterr().err
