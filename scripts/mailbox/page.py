"""The page of mails: what went out and came in, answers as the customer, and what SES would report.

It listens on the loopback address. A page of another site can make a browser send requests here: so each request has to
name this address as its host, and each form has a token that only this page knows.
"""

import hmac
import secrets
import smtplib
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.message import EmailMessage
from email.parser import BytesParser
from email.policy import HTTP, SMTP
from email.utils import formatdate, make_msgid
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from scripts.mailbox import files
from scripts.mailbox.console import SignIn
from scripts.mailbox.ses import Ses
from scripts.mailbox.smtp import MAX_BYTES
from scripts.mailbox.threads import Mail, Thread, bare_subject, quoted, read, references_of_answer, threads

MOST_SHOWN = 500
_TEMPLATES = Path(__file__).with_name("templates")
_PAGE_POLICY = (
    "default-src 'none'; style-src 'self'; frame-src 'self'; form-action 'self'; frame-ancestors 'none'"
)
_MAIL_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'"


class Answer(NamedTuple):
    """A response. `cookie` is a Set-Cookie header."""

    status: int
    body: bytes = b""
    type: str = "text/html; charset=utf-8"
    policy: str = _PAGE_POLICY
    location: str = ""
    cookie: str = ""


class Mailbox:
    """What the page shows and does. `organization` is the demo organization's address, `console` who opens it."""

    def __init__(
        self, ses: Ses, folder: Path, smtp: tuple[str, int], organization: str, console: SignIn
    ) -> None:
        self._ses = ses
        self._folder = folder
        self._smtp = smtp
        self._organization = organization
        self._console = console
        self.token = secrets.token_urlsafe(16)

    def get(self, path: str) -> Answer:
        """Answer GET."""
        match path.strip("/").split("/"):
            case [""]:
                return self._page("mails", threads=self._threads())
            case ["console", *role] if cookie := self._console.cookie_of("/".join(role) or "owner"):
                return Answer(303, location=self._console.address, cookie=cookie)
            case ["style.css"]:
                return Answer(200, (_TEMPLATES / "style.css").read_bytes(), "text/css; charset=utf-8")
            case ["threads", name] if thread := self._thread(name):
                return self._page("thread", thread=thread)
            case ["mails", name, part] if shown := self._part(name, part):
                return shown
        return self._missing()

    def _part(self, name: str, part: str) -> Answer | None:
        if part == "html" and (mail := self._mail(name)) and mail.html is not None:
            return Answer(200, mail.html.encode(errors="replace"), policy=_MAIL_POLICY)
        if part == "source" and (file := files.find(self._folder, name)) and file.raw:
            return Answer(200, file.raw, "text/plain; charset=utf-8")
        return None

    def post(self, path: str, form: Mapping[str, Any]) -> Answer:
        """Answer POST."""
        if not hmac.compare_digest(str(form.get("token", "")), self.token):
            return self._note(
                "That didn't work", "The form is from before a restart. Reload its page.", status=403
            )
        match path.strip("/").split("/"):
            case ["write"]:
                return self._send(lambda: self._new(form))
            case ["mails", name, "answer"] if (mail := self._mail(name)) is not None:
                return self._send(lambda: self._answer(mail, form))
            case ["mails", name, "bounce" | "complain" as report] if (
                file := files.find(self._folder, name)
            ) and file.sent:
                (self._ses.bounce if report == "bounce" else self._ses.complain)(file.sent)
                return self._note(
                    "Reported", "Helpdesk hears of it as from Amazon SES.", back=self._place_of(name)
                )
        return self._missing()

    def _new(self, form: Mapping[str, Any]) -> EmailMessage:
        mail = _written(form, str(form.get("subject", "")))
        mail["To"] = str(form.get("to", ""))
        return mail

    def _answer(self, answered: Mail, form: Mapping[str, Any]) -> EmailMessage:
        """Answer a mail as a mail program does: with its subject, its references and its text below."""
        mail = _written(form, f"Re: {bare_subject(answered.subject)}", quoted(answered, when(answered.at)))
        mail["To"] = answered.goes_on_to
        if answered.message_id:
            mail["In-Reply-To"] = answered.message_id
            mail["References"] = " ".join(references_of_answer(answered))
        return mail

    def _send(self, write: Callable[[], EmailMessage]) -> Answer:
        try:
            with smtplib.SMTP(*self._smtp, timeout=30) as server:
                server.send_message(write())
        except (smtplib.SMTPException, ValueError) as refused:  # a header with a line break is a ValueError
            return self._note("That didn't work", _words(refused), status=400)
        newest = files.newest(self._folder, 1)
        return Answer(303, location=self._place_of(newest[-1].name) if newest else "/")

    def _threads(self) -> list[Thread]:
        return threads(read(file) for file in files.newest(self._folder, MOST_SHOWN))

    def _thread(self, name: str) -> Thread | None:
        return next((each for each in self._threads() if any(mail.name == name for mail in each.mails)), None)

    def _mail(self, name: str) -> Mail | None:
        file = files.find(self._folder, name)
        return None if file is None else read(file)

    def _place_of(self, name: str) -> str:
        thread = self._thread(name)
        return f"/threads/{thread.name if thread else name}#mail-{name}"

    def _missing(self) -> Answer:
        return self._note("Not found", "There's no such mail.", status=404)

    def _note(self, title: str, text: str, *, status: int = 200, back: str = "/") -> Answer:
        return self._page("note", status=status, title=title, text=text, back=back)

    def _page(self, template: str, *, status: int = 200, **values: Any) -> Answer:
        shared = {
            "bare": bare_subject,
            "token": self.token,
            "organization": self._organization,
            "domain": self._ses.place.domain,
            "when": when,
        }
        text = _environment().get_template(f"{template}.html").render({**shared, **values})
        return Answer(status, text.encode(errors="replace"))


def when(at: float) -> str:
    """Return a time (seconds since 1970) as the page writes it."""
    return f"{datetime.fromtimestamp(at, UTC):%d %b %Y, %H:%M:%S} UTC"


def _written(form: Mapping[str, Any], subject: str, below: str = "") -> EmailMessage:
    """Return a mail of a form, with text below the form's."""
    mail = EmailMessage(policy=SMTP)
    mail["From"] = str(form.get("from", ""))
    mail["Subject"] = " ".join(subject.split())
    mail["Date"] = formatdate()
    mail["Message-ID"] = make_msgid(domain="customer.localhost")
    if form.get("unverified"):
        mail["X-Local-Verdicts"] = "spf=FAIL dkim=FAIL dmarc=FAIL"
    text = str(form.get("text", "")).replace("\r\n", "\n").strip()
    mail.set_content(f"{text}\n\n{below}\n" if below else f"{text}\n")
    attached = form.get("file")
    if isinstance(attached, tuple) and attached[0]:
        name, kind, content = attached
        maintype, _, subtype = kind.partition("/")
        mail.add_attachment(content, maintype=maintype, subtype=subtype or "octet-stream", filename=name)
    return mail


def _words(refused: Exception) -> str:
    match refused:
        case smtplib.SMTPRecipientsRefused(recipients=recipients):
            return "; ".join(f"{address}: {answer.decode()}" for address, (_, answer) in recipients.items())
        case smtplib.SMTPResponseException(smtp_error=bytes() as answer):
            return answer.decode(errors="replace")
    return str(refused)


def _form(kind: str, body: bytes) -> dict[str, Any]:
    """Return the fields of a form; a file as its name, type and content."""
    if not kind.startswith("multipart/form-data"):
        fields = parse_qs(body.decode(errors="replace"), keep_blank_values=True)
        return {name: values[-1] for name, values in fields.items()}
    head = f"Content-Type: {kind}\r\n\r\n".encode()
    found: dict[str, Any] = {}
    for part in BytesParser(policy=HTTP).parsebytes(head + body).iter_parts():
        name = part.get_param("name", header="content-disposition")
        content = bytes(part.get_payload(decode=True) or b"")
        if part.get_filename() is None:
            found[str(name)] = content.decode(errors="replace")
        else:
            found[str(name)] = (part.get_filename(), part.get_content_type(), content)
    return found


@cache
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(_TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )


def server(host: str, port: int, mailbox: Mailbox) -> ThreadingHTTPServer:
    """Return the server of the page."""
    hosts = {f"{host}:{port}", f"localhost:{port}"}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._respond(None)

        def do_POST(self) -> None:
            length = int(self.headers.get("content-length") or 0)
            self._respond(None if length > MAX_BYTES else self.rfile.read(length))

        def _respond(self, body: bytes | None) -> None:
            path = urlsplit(self.path).path
            if self.headers.get("host") not in hosts:
                answer = Answer(421, b"Wrong host.", "text/plain")
            elif self.command == "GET":
                answer = mailbox.get(path)
            elif body is None:
                answer = Answer(413, b"Too large.", "text/plain")
            else:
                answer = mailbox.post(path, _form(self.headers.get("content-type", ""), body))
            self.send_response(answer.status)
            for name, value in (
                ("location", answer.location),
                ("set-cookie", answer.cookie),
                ("content-type", answer.type),
                ("content-length", str(len(answer.body))),
                ("content-security-policy", answer.policy),
                ("x-content-type-options", "nosniff"),
                ("referrer-policy", "same-origin"),
                ("cache-control", "no-store"),
            ):
                if value:
                    self.send_header(name, value)
            self.end_headers()
            self.wfile.write(answer.body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    made = ThreadingHTTPServer((host, port), Handler)
    made.daemon_threads = True
    return made
