"""Sends a mail with Amazon SES."""

import re
from collections.abc import Mapping
from email.utils import formataddr
from typing import TYPE_CHECKING, Final

from botocore.exceptions import BotoCoreError, ClientError, ConnectionClosedError, ReadTimeoutError
from msgspec.structs import asdict

from helpdesk.mail.errors import MailInDoubt, MailNotAllowed, MailNotSent, MailNotSetUp, MailRefused
from helpdesk.mail.rendering import Mail
from helpdesk.platform import clients, metrics
from helpdesk.platform.logging import logger
from helpdesk.platform.record import Record
from helpdesk.platform.settings import settings

if TYPE_CHECKING:
    from mypy_boto3_sesv2.type_defs import SendEmailRequestTypeDef

# The faults of one mail: its content, or an address in it. With the first code SES also refuses a deployment that may
# not send, in words such as "Email address is not verified" (in the sandbox) or "Sending suspended".
_OF_THE_MAIL: Final = {"MessageRejected", "BadRequestException"}
_OF_THE_DEPLOYMENT: Final = re.compile(
    r"not verified|sandbox|suspended|paused|disabled|restricted|not authorized|configuration set|daily message quota",
    re.IGNORECASE,
)
# SES takes the mail later, without anyone's doing.
_FOR_NOW: Final = {
    "TooManyRequestsException",
    "LimitExceededException",
    "ThrottlingException",
    "Throttling",
    "ExpiredTokenException",
}
_ADDRESS: Final = re.compile(r"""(?:"[^"]*"|[^\s,;:<>()`'"/]+)@[^\s,;:<>()`'"/]+""")

# From this HTTP status on, SES or a proxy before it failed, and may have accepted the mail before.
_SERVER_ERROR: Final = 500


class MailTags(Record):
    """What a mail of a conversation is tagged with: IDs, which SES returns when the mail bounces."""

    organization: str
    conversation: str
    message: str


def send(
    mail: Mail,
    address: str,
    *,
    name: str = "",
    from_name: str = "",
    reply_to: str | None = None,
    headers: Mapping[str, str] = {},
    tags: MailTags | None = None,
    once: bool = False,
) -> None:
    """Send a mail to one address, with further headers; replies go to `reply_to`.

    `name` is the recipient's, and `from_name` is shown as the sender's. If a mail with `tags` bounces, the
    team learns of it (helpdesk/inbound_mail/bounces.py).

    Raises MailNotSetUp, MailRefused, MailNotAllowed, MailInDoubt, or else MailNotSent: a retry can succeed. SES does
    not recognize duplicates: if a response is lost, a retry sends the mail again. The client retries twice, unless the
    mail must be sent at most `once`.
    """
    if not settings().mail_from:
        raise MailNotSetUp("MAIL_FROM is empty")
    request: SendEmailRequestTypeDef = {
        "FromEmailAddress": _named(from_name, settings().mail_from),
        "Destination": {"ToAddresses": [_named(name, _in_ascii(address))]},
        "Content": {
            "Simple": {
                "Subject": {"Data": mail.subject, "Charset": "UTF-8"},
                "Body": {
                    "Text": {"Data": mail.text, "Charset": "UTF-8"},
                    "Html": {"Data": mail.html, "Charset": "UTF-8"},
                },
                "Headers": [{"Name": name, "Value": value} for name, value in headers.items()],
            }
        },
    }
    if settings().mail_configuration_set:
        request["ConfigurationSetName"] = settings().mail_configuration_set
    if tags is not None:
        request["EmailTags"] = [{"Name": name, "Value": value} for name, value in asdict(tags).items()]
    if reply_to is not None:
        request["ReplyToAddresses"] = [_in_ascii(reply_to)]
    service = clients.ses(1) if once else clients.ses()
    try:
        service.send_email(**request)
    except ClientError as error:
        raise _refusal(error, once=once) from None
    except (ReadTimeoutError, ConnectionClosedError) as error:
        raise MailInDoubt(type(error).__name__) from None
    except BotoCoreError as error:
        raise MailNotSent(type(error).__name__) from None


def _refusal(error: ClientError, *, once: bool) -> MailNotSent:
    """Return what SES's refusal means; what only the operator can fix is counted. The log gets SES's own words."""
    code, words = error.response["Error"]["Code"], error.response["Error"].get("Message", "")
    failed = error.response["ResponseMetadata"]["HTTPStatusCode"] >= _SERVER_ERROR
    about = {"code": code, "words": _without_addresses(words)}
    of_the_deployment = _OF_THE_DEPLOYMENT.search(words) is not None
    if failed or (code in _FOR_NOW and not of_the_deployment):
        logger.warning("mail_not_taken", extra=about)
        return (MailInDoubt if failed and once else MailNotSent)(code)
    if code in _OF_THE_MAIL and not of_the_deployment:
        logger.warning("mail_refused", extra=about)
        return MailRefused(code)
    metrics.count("MailNotAllowed")
    logger.error("mail_not_allowed", extra=about)
    return MailNotAllowed(code)


def _without_addresses(words: str) -> str:
    """Return SES's words without the addresses in them; the deployment's own is recognizable."""
    return _ADDRESS.sub(
        lambda found: "(MailFrom)" if found[0].lower() == settings().mail_from.lower() else "(address)", words
    )


def _named(name: str, address: str) -> str:
    """Return an address with a name, as in a header. SES refuses an address that isn't ASCII by itself."""
    return formataddr((name, address)) if name and address.isascii() else address


def _in_ascii(address: str) -> str:
    """Return an address with its domain in ASCII (RFC 5890), as SES requires. The local part is unchanged."""
    local, _, domain = address.rpartition("@")
    try:
        return f"{local}@{domain.encode('idna').decode('ascii')}"
    except UnicodeError:
        raise MailRefused("domain") from None
