"""Sending one mail by Amazon SES."""

from typing import Final

from botocore.exceptions import BotoCoreError, ClientError

from helpdesk.mail.errors import MailNotSent, MailNotSetUp, MailRefused
from helpdesk.mail.rendering import Mail
from helpdesk.platform import clients
from helpdesk.platform.settings import settings

# SES will not take these later either: the message itself, or an address in it. All else may pass (a pause, too many
# at once) or is for the operator to mend, such as a sender that is not verified.
_FOR_EVER: Final = {"MessageRejected", "BadRequestException"}


def send(mail: Mail, address: str) -> None:
    """Send a mail to one address.

    Raises MailNotSetUp, MailRefused, or MailNotSent where another try may do it. SES knows no repeat of a mail: one
    whose answer was lost on the way is sent again with the next try.
    """
    if not settings().mail_from:
        raise MailNotSetUp("MAIL_FROM is empty")
    try:
        clients.ses().send_email(
            FromEmailAddress=settings().mail_from,
            Destination={"ToAddresses": [_in_ascii(address)]},
            Content={
                "Simple": {
                    "Subject": {"Data": mail.subject, "Charset": "UTF-8"},
                    "Body": {
                        "Text": {"Data": mail.text, "Charset": "UTF-8"},
                        "Html": {"Data": mail.html, "Charset": "UTF-8"},
                    },
                }
            },
        )
    except ClientError as error:
        code = error.response["Error"]["Code"]
        raise (MailRefused if code in _FOR_EVER else MailNotSent)(code) from None
    except BotoCoreError as error:
        raise MailNotSent(type(error).__name__) from None


def _in_ascii(address: str) -> str:
    """Return an address with its domain as SES takes it (RFC 5890). What stands before the @ stays as it is."""
    local, _, domain = address.rpartition("@")
    try:
        return f"{local}@{domain.encode('idna').decode('ascii')}"
    except UnicodeError:
        raise MailRefused("domain") from None
