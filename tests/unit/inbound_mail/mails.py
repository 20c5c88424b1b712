"""Mails for the tests, short enough to read."""

from helpdesk.inbound_mail.parsing import ReceivedMail, parse


def mail(
    text: str = "Hello",
    *,
    subject: str = "Help",
    content_type: str = "text/plain; charset=utf-8",
    **headers: str,
) -> bytes:
    """Return a mail of one part. Names of headers have underscores for hyphens."""
    others = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    sender = "" if "From" in headers else "From: Ada <ada@example.com>\r\n"
    head = f"{sender}{others}Subject: {subject}\r\nMIME-Version: 1.0\r\nContent-Type: {content_type}\r\n\r\n"
    return head.encode() + text.replace("\n", "\r\n").encode()


def nest(kind: str, *parts: str | bytes) -> bytes:
    """Return a mail of several parts, each of which begins with its own headers."""
    return b"From: Ada <ada@example.com>\nSubject: Help\n" + part_of(kind, *parts)


def part_of(kind: str, *parts: str | bytes) -> bytes:
    """Return a part of several parts."""
    boundary = f"b{sum(map(len, parts))}"
    inner = b"".join(
        b"--%s\n%s" % (boundary.encode(), part.encode() if isinstance(part, str) else part) for part in parts
    )
    return (
        f'Content-Type: multipart/{kind}; boundary="{boundary}"\n\n'.encode()
        + inner
        + f"--{boundary}--\n".encode()
    )


def html(text: str) -> ReceivedMail:
    """Return a mail of HTML alone, read."""
    return parse(mail(text, content_type="text/html; charset=utf-8"))
