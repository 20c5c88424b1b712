"""Uploads: taking files, attaching them, handing them out, removing those that nobody attached.

Small files come as the body of one request; larger ones, up to the limit, are announced and then sent straight to
S3. Whether a file may be attached is decided when it is, from its content as well as from what it calls itself, and
what was looked at is what is kept: nobody can replace it afterwards
(Specification: POST /uploads; Limits, Refused attachment types).
"""

import hmac
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from helpdesk.files import repository, store
from helpdesk.files.errors import (
    MAX_FILE_BYTES,
    MAX_NAME_CHARACTERS,
    AttachmentMissing,
    AttachmentWrongType,
    EmptyFile,
    FileNotFound,
    FileTooBig,
)
from helpdesk.files.repository import UNATTACHED_HOURS
from helpdesk.files.schemas import FormUpload, Uploaded, UploadRequest
from helpdesk.files.sniffing import essence, runs_in_a_browser
from helpdesk.idempotency import service as idempotency
from helpdesk.platform import clock, ids
from helpdesk.platform.errors import InvalidRequest
from helpdesk.platform.text import cut
from helpdesk.platform.units import HOUR_MS
from helpdesk.storage.table import Item
from helpdesk.storage.transactions import Transaction

_SWEPT_HOURS = 14 * 24  # how far behind the limit upload cleanup looks: runs may be missed for two weeks
_SWEEPING_THREADS = 16  # fewer than a client keeps connections
_READINGS = 2  # how often bytes are read that are replaced while they are looked at
_MEDIA_TYPE = re.compile(r"[a-z0-9][a-z0-9!#$&^_.+-]{0,126}/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}")
_UNTYPED = "application/octet-stream"
_ADDRESS = re.compile(r"([0-9a-z]{26})-([0-9a-z]{26})-[0-9A-Za-z]{43}")


@dataclass(frozen=True, slots=True)
class Attachments:
    """Files that a message is about to attach, checked: how the message shows them, and what is to be kept."""

    shown: list[Item]
    file_ids: tuple[tuple[str, int], ...]

    def keep(self, transaction: Transaction, organization: str, message_id: str) -> None:
        """Add to a message's transaction that its files are attached now."""
        for file_id, size in self.file_ids:
            repository.attach(transaction, organization, file_id, message_id, size)


NO_ATTACHMENTS = Attachments([], ())


def upload(organization: str, base_url: str, name: str | None, media_type: str, content: bytes) -> Uploaded:
    """Take a file whose bytes are the request's body. Raises EmptyFile, FileTooBig."""
    _require_size(len(content))
    item = _new_item(organization, base_url, name or "", media_type, len(content))
    item |= {"received": True, "runs": runs_in_a_browser(item["name"], item["type"], content)}
    answer_kept_at = idempotency.answer_kept_at()
    if answer_kept_at is not None:  # the answer holds the file's name, and is to go with the file
        item["answerKeptAt"] = answer_kept_at
    # The item first: bytes without one would be found by nobody, an item without bytes is swept.
    repository.put(organization, item)
    store.put(organization, item["id"], content)
    return _answer(item, None)


def announce(organization: str, base_url: str, request: UploadRequest) -> Uploaded:
    """Take the announcement of a file and say where its bytes go. Raises EmptyFile, FileTooBig."""
    _require_size(request.size)
    item = _new_item(organization, base_url, request.name, request.type, request.size)
    item |= {"received": False, "runs": False}
    repository.put(organization, item)
    url, fields = store.form(organization, item["id"])
    return _answer(item, FormUpload(url=url, fields=fields))


def attached(organization: str, named: Sequence[tuple[str, str]]) -> Attachments:
    """Check the files that a message attaches: pairs of file id and shown name, in the order of the message.

    Costs one call (none where nothing is attached), and two more for each file that went straight to S3: its
    beginning is read here for the first time, and what was read is copied to where nobody can replace it.
    Raises AttachmentMissing, AttachmentWrongType.
    """
    if not named:
        return NO_ATTACHMENTS
    found = repository.get_many(organization, [file_id for file_id, _ in named])
    shown, kept = [], {}
    for file_id, name in named:
        file = found.get(file_id)
        if file is None or file["removing"]:
            raise AttachmentMissing
        display = cut(name, MAX_NAME_CHARACTERS) or file["name"]
        size = _require_attachable(organization, file, display)
        found[file_id] = file | {"received": True, "size": size}
        kept[file_id] = size
        shown.append({"name": display, "size": size, "type": file["type"], "url": file["url"]})
    return Attachments(shown, tuple(kept.items()))


def address(token: str) -> str:
    """Return where a file's bytes are, for some minutes, by the last part of its url. Raises FileNotFound."""
    match = _ADDRESS.fullmatch(token)
    if match is None:
        raise FileNotFound
    organization, file_id = f"org_{match[1]}", f"file_{match[2]}"
    file = repository.get(organization, file_id)
    if file is None or file["removing"] or not hmac.compare_digest(file["url"].rpartition("/")[2], token):
        raise FileNotFound
    if not file["received"]:
        if store.incoming(organization, file_id) is None:
            raise FileNotFound
        return store.incoming_address(organization, file_id, file["name"])
    # What is served was not necessarily attached: a file that would run is never shown, whatever its type says.
    media_type = _UNTYPED if file["runs"] else file["type"]
    return store.address(organization, file_id, file["name"], media_type)


def id_in(address: str) -> str | None:
    """Return the id of the file that an address of ours leads to, None for any other address."""
    match = _ADDRESS.fullmatch(address.rpartition("/")[2])
    return None if match is None else f"file_{match[2]}"


def sweep() -> int:
    """Remove the files that were attached to nothing within a day, the oldest first; return how many.

    A file that cannot be removed keeps no other from it: the error is raised when all were tried, and the next run
    tries again.
    """
    newest = clock.now_ms() // HOUR_MS - UNATTACHED_HOURS - 1
    hours = range(newest - _SWEPT_HOURS, newest + 1)
    with ThreadPoolExecutor(_SWEEPING_THREADS) as pool:
        found = [file for files in pool.map(repository.unattached, hours) for file in files]
        removals = [pool.submit(_remove, file["organization"], file["id"]) for file in found]
        return sum(removal.result() for removal in removals)


def _remove(organization: str, file_id: str) -> bool:
    """Remove a file that is attached to nothing; return whether it is so still."""
    if not repository.begin_removal(organization, file_id):
        return False
    store.delete(organization, file_id)
    repository.delete(organization, file_id)
    return True


def _require_size(size: int) -> None:
    if size <= 0:
        raise EmptyFile
    if size > MAX_FILE_BYTES:
        raise FileTooBig


def _new_item(organization: str, base_url: str, name: str, media_type: str, size: int) -> Item:
    kind = essence(media_type) or _UNTYPED
    if kind == "multipart/form-data":
        raise InvalidRequest(
            "Send the file's bytes as the body, not as a form: curl --data-binary @photo.png."
        )
    if kind == "application/x-www-form-urlencoded":
        kind = _UNTYPED  # what a client says that says nothing
    if _MEDIA_TYPE.fullmatch(kind) is None:
        raise InvalidRequest("`type` must be a media type such as image/png.")
    file_id = ids.new("file")
    # The address needs no credential, so its last part is as hard to guess as a key.
    token = f"{organization.removeprefix('org_')}-{file_id.removeprefix('file_')}-{ids.secret()}"
    return {
        "id": file_id,
        "name": cut(name, MAX_NAME_CHARACTERS) or "file",
        "type": kind,
        "size": size,
        "url": f"{base_url}/v1/files/{token}",
        "removing": False,
    }


def _require_attachable(organization: str, file: Item, display: str) -> int:
    """Return a file's size in bytes, or raise AttachmentMissing or AttachmentWrongType."""
    if file["received"]:
        if file["runs"] or runs_in_a_browser(display, file["type"], b""):
            raise AttachmentWrongType
        return int(file["size"])
    for _ in range(_READINGS):
        read = store.incoming(organization, file["id"])
        if read is None:
            raise AttachmentMissing
        _require_harmless(file, display, read.content)
        if store.keep(organization, file["id"], read.etag):
            return read.size
        # Other bytes came, or another message's copy: what is kept once is what the file is.
        kept = store.kept(organization, file["id"])
        if kept is not None:
            _require_harmless(file, display, kept.content)
            return kept.size
    raise AttachmentMissing


def _require_harmless(file: Item, display: str, content: bytes) -> None:
    if any(runs_in_a_browser(name, file["type"], content) for name in (display, file["name"])):
        raise AttachmentWrongType


def _answer(item: Item, form: FormUpload | None) -> Uploaded:
    return Uploaded(
        id=item["id"], name=item["name"], type=item["type"], size=item["size"], url=item["url"], upload=form
    )
