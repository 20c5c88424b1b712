"""Style sheets and other files that are the same for every site. A file's address has a digest of its content."""

from functools import cache
from pathlib import Path

from helpdesk.http.content import Content
from helpdesk.platform.digest import sha256_hex
from helpdesk.site.errors import PageNotFound
from helpdesk.site.sending import FOREVER

FOLDER = Path(__file__).with_name("static")


class StyleSheet(Content):
    """A style sheet."""

    media_type = "text/css; charset=utf-8"


_KINDS: dict[str, type[Content]] = {".css": StyleSheet}


@cache
def path_of(name: str) -> str:
    """Return the path within a site of a file of `static`: `/assets/site.<digest>.css`."""
    stem, _, suffix = name.rpartition(".")
    return f"/assets/{stem}.{sha256_hex(_text(name))[:12]}.{suffix}"


def serve(name: str) -> Content:
    """Return the file at an address. Raises PageNotFound, also for a digest of another release."""
    for path in FOLDER.iterdir():
        if path_of(path.name) == f"/assets/{name}":
            return _KINDS[path.suffix](_text(path.name), FOREVER)
    raise PageNotFound


@cache
def _text(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")
