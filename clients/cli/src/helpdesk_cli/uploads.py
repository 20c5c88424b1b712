"""Uploads files that a reply or note attaches."""

from __future__ import annotations

import mimetypes
from collections.abc import Iterable
from pathlib import Path

from helpdesk_cli.api import Api, Object
from helpdesk_cli.problems import Problem
from helpdesk_cli.web import Web

_UNKNOWN = "application/octet-stream"


def attachments(api: Api, web: Web, files: Iterable[Path]) -> list[Object]:
    """Upload files, and return them as the attachments of a message. Errors: Problem."""
    return [_uploaded(api, web, file) for file in files]


def _uploaded(api: Api, web: Web, file: Path) -> Object:
    """Announce a file, and send it to the storage that the answer names. So its size is limited by the API alone."""
    kind = mimetypes.guess_type(file.name)[0] or _UNKNOWN
    try:
        announced = {"name": file.name, "type": kind, "size": file.stat().st_size}
    except OSError as error:
        raise Problem(f"{file} cannot be read ({error.strerror}).", "Name a file with --attach.") from None
    answer = api.post("uploads", body=announced)
    web.upload(answer["upload"]["url"], answer["upload"]["fields"], file)
    return {"id": answer["id"], "name": answer["name"]}
