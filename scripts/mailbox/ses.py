"""What SES does and the emulator doesn't: it stores mail that comes in, and publishes notices of it and of bounces."""

import json
import secrets
import string
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from email.parser import BytesHeaderParser
from email.policy import compat32
from typing import Any, NamedTuple

VERDICTS = ("spf", "dkim", "dmarc", "spam", "virus")
_STATUSES = ("PASS", "FAIL", "GRAY", "PROCESSING_FAILED")
VERDICT_HEADER = b"x-local-verdicts"
_ID_CHARACTERS = string.ascii_lowercase + string.digits
_ID_LENGTH = 40
_PREFIX = "inbound/"


class WrongVerdicts(Exception):
    """The header with the verdicts can't be read; the message says what it may have."""


class Place(NamedTuple):
    """Where a stack's notices and mail go."""

    topic_arn: str
    bucket: str
    domain: str


class Ses:
    """Takes mail from outside, and reports what became of mail that went out."""

    def __init__(self, place: Place, s3: Any, sns: Any) -> None:
        self.place = place
        self._s3 = s3
        self._sns = sns

    def receive(self, raw: bytes, sender: str, recipients: Sequence[str]) -> tuple[bytes, str]:
        """Store a mail and publish its notice, as a receipt rule does; return what is stored, and the notice.

        Raises WrongVerdicts.
        """
        mail, verdicts = _verdicts(raw)
        message_id = "".join(secrets.choice(_ID_CHARACTERS) for _ in range(_ID_LENGTH))
        trace = (
            f"Return-Path: <{sender}>\r\n"
            "Received: from localhost (localhost [127.0.0.1])\r\n"
            f" by inbound-smtp.localhost with SMTP id {message_id}\r\n"
            f" for {recipients[0]};\r\n {datetime.now(UTC):%a, %d %b %Y %H:%M:%S +0000}\r\n"
        )
        stored = trace.encode() + mail
        self._s3.put_object(Bucket=self.place.bucket, Key=f"{_PREFIX}{message_id}", Body=stored)
        notice = json.dumps(self._received(message_id, stored, sender, recipients, verdicts))
        self._sns.publish(TopicArn=self.place.topic_arn, Message=notice)
        return stored, notice

    def bounce(self, sent: Mapping[str, Any]) -> None:
        """Report that a mail bounced, as SES does for an address that doesn't exist."""
        recipients = sent["Destination"]["ToAddresses"]
        bounce = {
            "bounceType": "Permanent",
            "bounceSubType": "NoEmail",
            "bouncedRecipients": [
                {
                    "emailAddress": address,
                    "action": "failed",
                    "status": "5.1.1",
                    "diagnosticCode": "smtp; 550 5.1.1 user unknown",
                }
                for address in recipients
            ],
            "timestamp": _now(),
            "feedbackId": secrets.token_hex(16),
            "reportingMTA": "dsn; mta.localhost",
        }
        self._report(sent, {"eventType": "Bounce", "bounce": bounce})

    def complain(self, sent: Mapping[str, Any]) -> None:
        """Report that the recipient marked a mail as spam."""
        complaint = {
            "complainedRecipients": [{"emailAddress": each} for each in sent["Destination"]["ToAddresses"]],
            "timestamp": _now(),
            "feedbackId": secrets.token_hex(16),
            "complaintFeedbackType": "abuse",
        }
        self._report(sent, {"eventType": "Complaint", "complaint": complaint})

    def _report(self, sent: Mapping[str, Any], event: dict[str, Any]) -> None:
        mail = {
            "timestamp": _now(),
            "source": sent["FromEmailAddress"],
            "messageId": sent["MessageId"],
            "destination": sent["Destination"]["ToAddresses"],
            "tags": {
                "ses:configuration-set": [sent.get("ConfigurationSetName", "")],
                **{tag["Name"]: [tag["Value"]] for tag in sent.get("EmailTags", [])},
            },
        }
        self._sns.publish(TopicArn=self.place.topic_arn, Message=json.dumps({**event, "mail": mail}))

    def _received(
        self,
        message_id: str,
        mail: bytes,
        sender: str,
        recipients: Sequence[str],
        verdicts: Mapping[str, str],
    ) -> dict[str, Any]:
        headers = BytesHeaderParser(policy=compat32).parsebytes(mail)
        now = _now()
        return {
            "notificationType": "Received",
            "receipt": {
                "timestamp": now,
                "processingTimeMillis": 1,
                "recipients": list(recipients),
                **{f"{check}Verdict": {"status": verdicts[check]} for check in VERDICTS},
                "action": {
                    "type": "S3",
                    "topicArn": self.place.topic_arn,
                    "bucketName": self.place.bucket,
                    "objectKeyPrefix": _PREFIX,
                    "objectKey": f"{_PREFIX}{message_id}",
                },
            },
            "mail": {
                "timestamp": now,
                "source": sender,
                "messageId": message_id,
                "destination": list(recipients),
                "headersTruncated": False,
                "headers": [{"name": name, "value": str(value)} for name, value in headers.items()],
            },
        }


def _verdicts(raw: bytes) -> tuple[bytes, dict[str, str]]:
    """Return a mail without the header that states verdicts, and the verdicts: PASS, unless it states others."""
    head, separator, body = raw.partition(b"\r\n\r\n")
    kept, stated = [], []
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.strip().lower() == VERDICT_HEADER:
            stated += value.decode("ascii", "replace").split()
        else:
            kept.append(line)
    verdicts = dict.fromkeys(VERDICTS, "PASS")
    for word in stated:
        check, _, status = word.partition("=")
        if check not in VERDICTS or status not in _STATUSES:
            raise WrongVerdicts(
                f"X-Local-Verdicts has {word!r}; write {'|'.join(VERDICTS)}={'|'.join(_STATUSES)}, separated by spaces"
            )
        verdicts[check] = status
    return b"\r\n".join(kept) + separator + body, verdicts


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
