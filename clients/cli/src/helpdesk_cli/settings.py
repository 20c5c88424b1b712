"""The configuration file: one login per service, readable only by its owner.

    {"version": 1, "default": "https://…", "services": {"https://…": {"clientId", "accessToken", "refreshToken",
    "expiresAt"}}}

`expiresAt` is in milliseconds since 1970. A process that changes the file holds the lock beside it
while it reads and writes.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import stat
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from helpdesk_cli.problems import Problem

LOCK_SECONDS = 60
"""How long to wait for another process that holds the lock."""
_VERSION = 1
_WINDOWS = os.name == "nt"


@dataclass(frozen=True)
class Login:
    """The client ID that this program registered with a service, and the tokens of a login."""

    client_id: str | None = None
    access_token: str | None = field(default=None, repr=False)
    refresh_token: str | None = field(default=None, repr=False)
    expires_at: int | None = None
    """When the access token expires, in ms since 1970."""

    def without_tokens(self) -> Login:
        """Return the login without its tokens, as after logging out."""
        return Login(client_id=self.client_id)


@dataclass(frozen=True)
class Settings:
    """The file's content."""

    default: str | None = None
    """The base URL of the last login."""
    services: dict[str, Login] = field(default_factory=dict)

    def login(self, base_url: str) -> Login:
        """Return the login of a service; an empty one if there is none."""
        return self.services.get(base_url, Login())

    def with_login(self, base_url: str, login: Login, *, default: bool = False) -> Settings:
        """Return the settings with a service's login; with `default` that service becomes the default."""
        services = {**self.services, base_url: login}
        return replace(self, services=services, default=base_url if default else self.default)


class BrokenSettings(Problem):
    """The file exists, but its content is not valid."""

    def __init__(self, path: Path, what: str) -> None:
        super().__init__(
            f"{path} is not valid ({what}).",
            "Delete it and log in again: helpdesk login --base-url URL",
        )


class UnusableSettings(Problem):
    """The file or its folder cannot be read or written."""

    def __init__(self, path: Path, problem: OSError) -> None:
        super().__init__(
            f"Cannot use {path} ({problem.strerror or problem}).",
            "Check that you own the folder and its files, or set XDG_CONFIG_HOME to another folder.",
        )


def folder() -> Path:
    """Return the folder of this user's settings."""
    if _WINDOWS and os.environ.get("APPDATA"):
        return Path(os.environ["APPDATA"]) / "helpdesk"
    named = os.environ.get("XDG_CONFIG_HOME", "")
    # A relative path is invalid and ignored (XDG Base Directory Specification).
    home = Path(named) if os.path.isabs(named) else Path.home() / ".config"  # noqa: PTH117 - "" is a Path too
    return home / "helpdesk"


class SettingsFile:
    """The file and its lock."""

    def __init__(self, directory: Path | None = None) -> None:
        self.folder = directory or folder()
        self.path = self.folder / "config.json"

    def read(self) -> Settings:
        """Return the content; empty without a file. Errors: BrokenSettings, UnusableSettings."""
        try:
            self._make_private()
            text = self.path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return Settings()
        except OSError as problem:
            raise UnusableSettings(self.path, problem) from None
        except UnicodeDecodeError:
            raise BrokenSettings(self.path, "not text") from None
        try:
            return _parsed(json.loads(text))
        except json.JSONDecodeError:
            raise BrokenSettings(self.path, "not JSON") from None
        except (ValueError, TypeError, AttributeError, RecursionError):
            raise BrokenSettings(self.path, "not the expected format") from None

    def change(self, changed: Callable[[Settings], Settings]) -> Settings:
        """Apply `changed` to the content and write it. The caller holds the lock. Errors: as `read`."""
        settings = changed(self.read())
        try:
            self._write(json.dumps(_rendered(settings), indent=2) + "\n")
        except OSError as problem:
            raise UnusableSettings(self.path, problem) from None
        return settings

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the lock. The system releases it when this process ends. Errors: Problem after LOCK_SECONDS."""
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not _WINDOWS:
                self.folder.chmod(0o700)
            descriptor = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as problem:
            raise UnusableSettings(self.folder, problem) from None
        try:
            _wait_for_lock(descriptor, self.folder)
            yield
        finally:
            os.close(descriptor)

    def _make_private(self) -> None:
        if _WINDOWS:
            return  # only its owner can read %APPDATA%
        mode = stat.S_IMODE(self.path.stat().st_mode)
        if mode & 0o077:
            self.path.chmod(0o600)

    def _write(self, text: str) -> None:
        unfinished = self.path.with_name(f"config.{os.getpid()}.{secrets.token_hex(4)}.new")
        descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with open(descriptor, "w", encoding="utf-8") as file:  # noqa: PTH123 - it is open already
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            unfinished.replace(self.path)
        except BaseException:
            unfinished.unlink(missing_ok=True)
            raise


def _parsed(content: Any) -> Settings:
    if content.get("version") != _VERSION:
        raise ValueError("another version")
    default, services = content.get("default"), content.get("services", {})
    return Settings(
        default=_text(default),
        services={str(base_url): _login(stored) for base_url, stored in services.items()},
    )


def _login(stored: Any) -> Login:
    expires_at = stored.get("expiresAt")
    if expires_at is not None and not isinstance(expires_at, int):
        raise ValueError("expiresAt")
    return Login(
        client_id=_text(stored.get("clientId")),
        access_token=_text(stored.get("accessToken")),
        refresh_token=_text(stored.get("refreshToken")),
        expires_at=expires_at,
    )


def _text(value: Any) -> str | None:
    if value is not None and not isinstance(value, str):
        raise ValueError("not text")
    return value


def _rendered(settings: Settings) -> dict[str, Any]:
    return {
        "version": _VERSION,
        "default": settings.default,
        "services": {
            base_url: {
                "clientId": login.client_id,
                "accessToken": login.access_token,
                "refreshToken": login.refresh_token,
                "expiresAt": login.expires_at,
            }
            for base_url, login in settings.services.items()
        },
    }


def _wait_for_lock(descriptor: int, directory: Path) -> None:
    deadline = time.monotonic() + LOCK_SECONDS
    while not _try_lock(descriptor):
        if time.monotonic() > deadline:
            raise Problem(
                f"Another helpdesk command has been using {directory} for {LOCK_SECONDS} s.",
                "Stop it and run this command again.",
            )
        time.sleep(0.05)


if sys.platform == "win32":
    import msvcrt

    def _try_lock(descriptor: int) -> bool:
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _try_lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
