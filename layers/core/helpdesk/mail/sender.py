"""Sends a mail with Amazon SES."""

from typing import TYPE_CHECKING, Final

from botocore.exceptions import BotoCoreError, ClientError, ConnectionClosedError, ReadTimeoutError

from helpdesk.mail.errors import MailInDoubt, MailNotSent, MailNotSetUp, MailRefused
from helpdesk.mail.rendering import Mail
from helpdesk.platform import clients
from helpdesk.platform.settings import settings

if TYPE_CHECKING:
    from mypy_boto3_sesv2.type_defs import SendEmailRequestTypeDef

# SES rejects these permanently: the message itself, or an address in it. Other errors are temporary, such as
# throttling, or the operator can fix them, such as an unverified sender.
_PERMANENT: Final = {"MessageRejected", "BadRequestException"}

# From this HTTP status on, SES or a proxy before it failed, and may have accepted the mail before.
_SERVER_ERROR: Final = 500


def send(mail: Mail, address: str, *, reply_to: str | None = None, once: bool = False) -> None:
    """Send a mail to one address; replies go to `reply_to`.

    Raises MailNotSetUp, MailRefused, MailNotSent if a retry can succeed, or MailInDoubt. SES does not recognize
    duplicates: if a response is lost, a retry sends the mail again. The client retries twice, unless the mail must be
    sent at most `once`.
    """
    if not settings().mail_from:
        raise MailNotSetUp("MAIL_FROM is empty")
    request: SendEmailRequestTypeDef = {
        "FromEmailAddress": settings().mail_from,
        "Destination": {"ToAddresses": [_in_ascii(address)]},
        "Content": {
            "Simple": {
                "Subject": {"Data": mail.subject, "Charset": "UTF-8"},
                "Body": {
                    "Text": {"Data": mail.text, "Charset": "UTF-8"},
                    "Html": {"Data": mail.html, "Charset": "UTF-8"},
                },
            }
        },
    }
    if reply_to is not None:
        request["ReplyToAddresses"] = [_in_ascii(reply_to)]
    service = clients.ses(1) if once else clients.ses()
    try:
        service.send_email(**request)
    except ClientError as error:
        code = error.response["Error"]["Code"]
        if once and error.response["ResponseMetadata"]["HTTPStatusCode"] >= _SERVER_ERROR:
            raise MailInDoubt(code) from None
        raise (MailRefused if code in _PERMANENT else MailNotSent)(code) from None
    except (ReadTimeoutError, ConnectionClosedError) as error:
        raise MailInDoubt(type(error).__name__) from None
    except BotoCoreError as error:
        raise MailNotSent(type(error).__name__) from None


def _in_ascii(address: str) -> str:
    """Return an address with its domain in ASCII (RFC 5890), as SES requires. The local part is unchanged."""
    local, _, domain = address.rpartition("@")
    try:
        return f"{local}@{domain.encode('idna').decode('ascii')}"
    except UnicodeError:
        raise MailRefused("domain") from None
