"""Verify that a webhook was sent by your Helpdesk, with nothing but the standard library.

    from helpdesk_webhooks import SIGNATURE_HEADER, VerificationError, verify, webhook_secret

    secret = webhook_secret("svc_key_…")  # once, when the program starts

    try:
        event = verify(raw_body, request.headers.get(SIGNATURE_HEADER), secret)
    except VerificationError as problem:
        return 400, str(problem)

An endpoint that has a secret of its own (`whsec_…`) also gets a signature in the Standard Webhooks form:

    event = verify_standard(raw_body, request.headers, "whsec_…")

The exceptions form one tree:

    VerificationError
     ├── SignatureMissing           the request has no signature header
     ├── InvalidHeader              the header is not `t=<milliseconds>,v1=<hex>`
     ├── TimestampOutOfTolerance
     │    ├── TimestampTooOld       signed too long ago: a replay, or a slow clock at the sender
     │    └── TimestampTooNew       signed in the future: this machine's clock is behind
     ├── SignatureMismatch          another secret, or the body was changed
     └── InvalidPayload             correctly signed, but not a JSON object
"""

from .derivation import site_secret, tools_secret, webhook_secret
from .errors import (
    InvalidHeader,
    InvalidPayload,
    SignatureMismatch,
    SignatureMissing,
    TimestampOutOfTolerance,
    TimestampTooNew,
    TimestampTooOld,
    VerificationError,
)
from .standard import STANDARD_HEADERS, sign_standard, verify_standard
from .verification import DEFAULT_TOLERANCE, SIGNATURE_HEADER, Event, sign, verify

__all__ = [
    "DEFAULT_TOLERANCE",
    "SIGNATURE_HEADER",
    "STANDARD_HEADERS",
    "Event",
    "InvalidHeader",
    "InvalidPayload",
    "SignatureMismatch",
    "SignatureMissing",
    "TimestampOutOfTolerance",
    "TimestampTooNew",
    "TimestampTooOld",
    "VerificationError",
    "sign",
    "sign_standard",
    "site_secret",
    "tools_secret",
    "verify",
    "verify_standard",
    "webhook_secret",
]
