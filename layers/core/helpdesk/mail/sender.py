"""Sending one mail by Amazon SES."""

from typing import TYPE_CHECKING, Final

from botocore.exceptions import BotoCoreError, ClientError, ConnectionClosedError, ReadTimeoutError

from helpdesk.mail.errors import MailInDoubt, MailNotSent, MailNotSetUp, MailRefused
from helpdesk.mail.rendering import Mail
from helpdesk.platform import clients
from helpdesk.platform.settings import settings

if TYPE_CHECKING:
    from mypy_boto3_sesv2.type_defs import SendEmailRequestTypeDef

# SES will not take these later either: the message itself, or an address in it. All else may pass (a pause, too many
# at once) or is for the operator to mend, such as a sender that is not verified.
_FOR_EVER: Final = {"MessageRejected", "BadRequestException"}

# From this HTTP status on it is SES, or what stands before it, that failed: it may have taken the mail before that.
_NOBODY_KNOWS: Final = 500


def send(mail: Mail, address: str, *, reply_to: str | None = None, once: bool = False) -> None:
    """Send a mail to one address; with `reply_to` an answer goes there.

    Raises MailNotSetUp, MailRefused, or MailNotSent where another try may do it, MailInDoubt where nobody knows. SES
    knows no repeat of a mail: one whose answer was lost on the way is sent again with the next try, of which the client
    makes two by itself unless the mail is to go out `once` at most.
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
        if once and error.response["ResponseMetadata"]["HTTPStatusCode"] >= _NOBODY_KNOWS:
            raise MailInDoubt(code) from None
        raise (MailRefused if code in _FOR_EVER else MailNotSent)(code) from None
    except (ReadTimeoutError, ConnectionClosedError) as error:
        raise MailInDoubt(type(error).__name__) from None
    except BotoCoreError as error:
        raise MailNotSent(type(error).__name__) from None


def _in_ascii(address: str) -> str:
    """Return an address with its domain as SES takes it (RFC 5890). What stands before the @ stays as it is."""
    local, _, domain = address.rpartition("@")
    try:
        return f"{local}@{domain.encode('idna').decode('ascii')}"
    except UnicodeError:
        raise MailRefused("domain") from None
