"""Attach, download and remove files.

Attaching a file to a message checks its type and its content. The checked content is copied to a key that clients
cannot write, so nobody can replace it afterwards (Specification: Limits, Refused attachment types).
"""

import hmac
import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import replace

from helpdesk.api.idempotency import service as idempotency
from helpdesk.conversations.files import repository, store
from helpdesk.conversations.files.errors import (
    MAX_NAME_CHARACTERS,
    UNATTACHED_HOURS,
    AttachmentMissing,
    AttachmentWrongType,
    FileNotFound,
)
from helpdesk.conversations.files.media_types import PLAIN_TEXT, UNTYPED
from helpdesk.conversations.files.record import AttachedFile, File
from helpdesk.conversations.files.store import Content
from helpdesk.platform import charsets, clock
from helpdesk.platform.record import Record
from helpdesk.platform.text import as_name
from helpdesk.platform.units import HOUR_MS
from helpdesk.storage import table
from helpdesk.storage.transactions import Transaction

_CLEANED_HOURS = 14 * 24  # a run looks back this far, so runs may be missed for two weeks
_CLEANUP_THREADS = 16  # fewer than the connections of a client
_READ_ATTEMPTS = 2  # how often bytes are read that change while they are checked
_ADDRESS = re.compile(r"([0-9a-z]{26})-([0-9a-z]{26})-[0-9A-Za-z]{43}")


class Attachments(Record):
    """The checked files of a message: `shown` as the message shows them, `file_ids` with their sizes in bytes."""

    shown: tuple[AttachedFile, ...]
    file_ids: tuple[tuple[str, int], ...]

    def keep(self, transaction: Transaction, organization: str, message_id: str) -> None:
        """Add to a message's transaction that it attaches these files."""
        for file_id, size in self.file_ids:
            repository.attach(transaction, organization, file_id, message_id, size)


NO_ATTACHMENTS = Attachments((), ())


def attached(organization: str, named: Sequence[tuple[str, str]]) -> Attachments:
    """Check the files that a message attaches: pairs of file id and shown name, in the order of the message.

    Costs one call, or none without files. A file that was sent directly to S3 costs two more: a first read of its
    beginning, and a copy of the checked bytes to a key that clients cannot write. It costs a third if its beginning is
    a comment that does not end there. Raises AttachmentMissing, AttachmentWrongType.
    """
    if not named:
        return NO_ATTACHMENTS
    found = repository.by_ids(organization, [file_id for file_id, _ in named])
    shown, kept = [], {}
    for file_id, name in named:
        file = found.get(file_id)
        if file is None or file.removing:
            raise AttachmentMissing
        display = as_name(name, MAX_NAME_CHARACTERS) or file.name
        size = _require_attachable(file)
        found[file_id] = replace(file, received=True, size=size)
        kept[file_id] = size
        shown.append(AttachedFile(display, size, file.type, file.url))
    return Attachments(tuple(shown), tuple(kept.items()))


def download_url(token: str) -> str:
    """Return a short-lived URL of a file's bytes, by the last part of the file's own URL. Raises FileNotFound."""
    match = _ADDRESS.fullmatch(token)
    if match is None:
        raise FileNotFound
    organization, file_id = f"org_{match[1]}", f"file_{match[2]}"
    file = repository.files.find(organization, file_id)
    if file is None or file.removing or not hmac.compare_digest(file.token, token):
        raise FileNotFound
    if not file.received:
        if store.incoming(organization, file_id) is None:
            raise FileNotFound
        return store.unchecked_download_url(organization, file_id, file.name)
    # Any file is served, attached or not. One that runs in a browser is never displayed, whatever its type says.
    media_type = UNTYPED if file.runs_in_browser else file.type
    return store.download_url(organization, file_id, file.name, media_type, _charset(file))


def _charset(file: File) -> str | None:
    """Return the charset that a browser needs to know for a text: the declared one, or UTF-8 if the bytes are."""
    if file.charset is not None or file.type != PLAIN_TEXT:
        return file.charset
    # Read here, because a client that announces a file sends its bytes to S3 alone.
    content = store.kept(file.organization, file.id)
    is_utf8 = content is not None and charsets.is_utf8(content.beginning, complete=content.is_complete)
    return charsets.UTF_8 if is_utf8 else None


def organization_in(token: str) -> str | None:
    """Return the organization that the last part of a file's URL names, None if it names none."""
    match = _ADDRESS.fullmatch(token)
    return None if match is None else f"org_{match[1]}"


def id_in(address: str) -> str | None:
    """Return the id of the file that a URL of this service names; None for any other URL."""
    match = _ADDRESS.fullmatch(address.rpartition("/")[2])
    return None if match is None else f"file_{match[2]}"


def id_of(organization: str, address: str) -> str | None:
    """Return the id of the organization's file that has a URL; None if none has it, or it is being removed.

    One read, and none for an address that no file can have.
    """
    file_id = id_in(address)
    file = None if file_id is None else repository.files.find(organization, file_id)
    return None if file is None or file.removing or file.url != address else file.id


class Attachment(Record):
    """A file that deleted messages attach: its URL, how many of them attach it, and whether the visitor sent it."""

    url: str
    uses: int
    by_visitor: bool


def delete_for(transaction: Transaction, organization: str, attachments: Sequence[Attachment]) -> int:
    """Release the files of messages that a transaction deletes; return how many files are removed.

    A file is removed with the last message that attaches it. A file that the visitor sent is always removed: its URL in
    other messages then returns 404. The bytes, and the stored response to a repeated upload, are removed at once. The
    transaction removes the item. It raises ConditionFailed if the item has changed.
    """
    by_id = {file_id: each for each in attachments if (file_id := id_in(each.url)) is not None}
    found = repository.by_ids(organization, list(by_id)) if by_id else {}
    removed = 0
    for file in found.values():
        attachment = by_id[file.id]
        if repository.begin_erasure(
            organization, file.id, None if attachment.by_visitor else attachment.uses
        ):
            store.delete(organization, file.id)
            if file.response_hash is not None:
                idempotency.forget_response(organization, file.response_hash)
            repository.add_deletion(transaction, organization, file.id)
            removed += 1
        else:
            repository.add_release(transaction, organization, file.id, attachment.uses)
    return removed


def remove_unattached() -> int:
    """Remove the files that no message attached within a day, oldest first; return how many.

    If one file cannot be removed, the others still are. The error is raised at the end, and the next run retries.
    """
    newest = clock.now_ms() // HOUR_MS - UNATTACHED_HOURS - 1
    hours = range(newest - _CLEANED_HOURS, newest + 1)
    with ThreadPoolExecutor(_CLEANUP_THREADS) as pool:
        found = [file for files in pool.map(repository.unattached, hours) for file in files]
        removals = [pool.submit(_remove, file.organization, file.id) for file in found]
        return sum(removal.result() for removal in removals)


def _remove(organization: str, file_id: str) -> bool:
    """Remove a file if it is still unattached; return whether it was."""
    if not repository.begin_removal(organization, file_id):
        return False
    store.delete(organization, file_id)
    table.delete(File.key_for(organization, file_id))
    return True


def _require_attachable(file: File) -> int:
    """Return a file's size in bytes. Raises AttachmentMissing, AttachmentWrongType."""
    if file.received:
        if file.runs_in_browser:
            raise AttachmentWrongType
        return file.size
    for _ in range(_READ_ATTEMPTS):
        read = _require_harmless(file, store.incoming)
        if read is None:
            raise AttachmentMissing
        if store.keep(file.organization, file.id, read.etag):
            return read.size
        # The bytes were replaced, or another message made its copy first. The first copy is the file.
        kept = _require_harmless(file, store.kept)
        if kept is not None:
            return kept.size
    raise AttachmentMissing


def _require_harmless(file: File, read: Callable[..., Content | None]) -> Content | None:
    """Return a file's content as `read` returns it, None if there is none. Raises AttachmentWrongType.

    The beginning of a file decides, except after a long comment.
    """
    from helpdesk.conversations.files.sniffing import is_refused  # noqa: PLC0415 - most messages attach no file that needs it

    content = read(file.organization, file.id)
    if content is None:
        return None
    refused = is_refused(file.type, content.beginning, complete=content.is_complete)
    if refused is None:
        content = read(file.organization, file.id, whole=True)
        if content is None:
            return None
        refused = is_refused(file.type, content.beginning, complete=True)
    if refused:
        raise AttachmentWrongType
    return content
