import os
import stat
from pathlib import Path

import pytest

from helpdesk_cli import settings
from helpdesk_cli.problems import Problem
from helpdesk_cli.settings import BrokenSettings, Login, Settings, SettingsFile, UnusableSettings

LOGIN = Login("cli_1", "svc_oat_a", "svc_ort_b", 1_790_000_000_000)


def written(file: SettingsFile, login: Login = LOGIN) -> None:
    with file.locked():
        file.change(lambda s: s.with_login("https://one.example", login, default=True))


def test_settings_are_read_as_they_were_written(tmp_path: Path) -> None:
    file = SettingsFile(tmp_path / "helpdesk")
    written(file)
    assert file.read() == Settings("https://one.example", {"https://one.example": LOGIN})


def test_each_service_has_its_own_login_and_the_last_one_is_the_default(tmp_path: Path) -> None:
    file = SettingsFile(tmp_path)
    written(file)
    other = Login("cli_2", "svc_oat_c")
    with file.locked():
        file.change(lambda s: s.with_login("https://two.example", other, default=True))
        file.change(lambda s: s.with_login("https://one.example", LOGIN.without_tokens()))
    assert file.read().default == "https://two.example"
    assert file.read().login("https://one.example") == Login("cli_1")
    assert file.read().login("https://two.example") == other
    assert file.read().login("https://three.example") == Login()


def test_without_a_file_the_settings_are_empty(tmp_path: Path) -> None:
    assert SettingsFile(tmp_path / "absent").read() == Settings()


def test_only_the_owner_can_read_the_file_from_its_first_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[tuple[int, int]] = []
    real_open = os.open

    def watched(path: str, flags: int, mode: int = 0o777) -> int:
        opened.append((flags, mode))
        return real_open(path, flags, mode)

    monkeypatch.setattr(os, "open", watched)
    before = os.umask(0)
    try:
        file = SettingsFile(tmp_path / "helpdesk")
        written(file)
    finally:
        os.umask(before)
    assert {mode for flags, mode in opened if flags & os.O_CREAT} == {0o600}
    assert any(flags & os.O_EXCL for flags, _ in opened)
    assert stat.S_IMODE(file.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.folder.stat().st_mode) == 0o700


def test_a_file_that_others_can_read_becomes_private_when_it_is_read(tmp_path: Path) -> None:
    file = SettingsFile(tmp_path)
    written(file)
    file.path.chmod(0o644)
    file.read()
    assert stat.S_IMODE(file.path.stat().st_mode) == 0o600


def test_a_failed_write_leaves_the_old_file_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = SettingsFile(tmp_path)
    written(file)

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UnusableSettings, match="No space left"):
        written(file, Login("cli_2"))
    monkeypatch.undo()
    assert file.read().login("https://one.example") == LOGIN
    assert sorted(path.name for path in tmp_path.iterdir()) == ["config.json", "lock"]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'"text"',
        b"\xff\xfe",
        b"{}",
        b'{"version": 2}',
        b'{"version": 1, "services": []}',
        b'{"version": 1, "services": {"https://a": 1}}',
        b'{"version": 1, "services": {"https://a": {"accessToken": 1}}}',
        b'{"version": 1, "services": {"https://a": {"expiresAt": "soon"}}}',
        b'{"version": 1, "default": 1}',
        b"[" * 100_000,
    ],
)
def test_an_invalid_file_is_reported_with_its_path(tmp_path: Path, content: bytes) -> None:
    file = SettingsFile(tmp_path)
    file.path.write_bytes(content)
    with pytest.raises(BrokenSettings, match=r"config\.json is not valid") as message:
        file.read()
    assert "Delete it and log in again" in message.value.hint


def test_an_unusable_file_or_folder_is_reported_with_its_path(tmp_path: Path) -> None:
    (tmp_path / "config.json").mkdir()
    with pytest.raises(UnusableSettings, match=r"Cannot use .*config\.json"):
        SettingsFile(tmp_path).read()
    (tmp_path / "file").touch()
    with pytest.raises(UnusableSettings), SettingsFile(tmp_path / "file").locked():
        pass


def test_waiting_too_long_for_the_lock_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "LOCK_SECONDS", 0)
    with (
        SettingsFile(tmp_path).locked(),
        pytest.raises(Problem, match="Another helpdesk command"),
        SettingsFile(tmp_path).locked(),
    ):
        pass


def test_the_folder_follows_the_users_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "elsewhere"))
    assert settings.folder() == tmp_path / "elsewhere" / "helpdesk"
    for ignored in ("", "relative/path"):
        monkeypatch.setenv("XDG_CONFIG_HOME", ignored)
        assert settings.folder() == tmp_path / ".config" / "helpdesk"
    monkeypatch.setattr(settings, "_WINDOWS", True)
    monkeypatch.setenv("APPDATA", str(tmp_path / "roaming"))
    assert settings.folder() == tmp_path / "roaming" / "helpdesk"


def test_the_repr_of_a_login_has_no_tokens() -> None:
    assert "svc_" not in repr(Settings("a", {"a": LOGIN}))
