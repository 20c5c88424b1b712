"""The listener for SMTP, on the loopback address: takes mail to the inbound domain, as SES's own servers do."""

from pathlib import Path
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session
from botocore.exceptions import BotoCoreError, ClientError

from scripts.mailbox import files
from scripts.mailbox.ses import Ses, WrongVerdicts

MAX_BYTES = 40 * 1024 * 1024
"""The largest mail that SES receives, its attachments in Base64."""


class _Receiver:
    """Decides on each mail. aiosmtpd calls the methods by their names."""

    def __init__(self, ses: Ses, folder: Path) -> None:
        self._ses = ses
        self._folder = folder

    async def handle_RCPT(  # noqa: N802 - the name that aiosmtpd looks for
        self, _server: SMTP, _session: Session, envelope: Envelope, address: str, _options: Any
    ) -> str:
        domain = self._ses.place.domain
        if address.rpartition("@")[2].lower() != domain:
            return f"550 5.7.1 This stack receives mail for <slug>@{domain} alone"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(  # noqa: N802 - the name that aiosmtpd looks for
        self, _server: SMTP, _session: Session, envelope: Envelope
    ) -> str:
        raw = envelope.original_content or b""
        try:
            stored, notice = self._ses.receive(raw, envelope.mail_from or "", envelope.rcpt_tos)
        except WrongVerdicts as wrong:
            return f"550 5.6.0 {wrong}"
        except (ClientError, BotoCoreError) as error:
            print(f"mail not stored: {error!r}", flush=True)
            return "451 4.3.0 The emulator did not take the mail; try again"
        files.keep_received(self._folder, stored, notice)
        return "250 OK"


def listener(host: str, port: int, ses: Ses, folder: Path) -> Controller:
    """Return the listener, which `start` and `stop` run in a thread of its own."""
    return Controller(
        _Receiver(ses, folder), hostname=host, port=port, data_size_limit=MAX_BYTES, ident="Helpdesk (local)"
    )
