"""Errors of verification. The package's docstring shows the tree."""


class VerificationError(Exception):
    """The request must not be trusted. Respond with 400 and do not act on it."""


class SignatureMissing(VerificationError):
    """The request carries no signature header."""


class InvalidHeader(VerificationError):
    """The signature header is not of the form `t=<milliseconds>,v1=<hex>[,v1=<hex>…]`."""


class TimestampOutOfTolerance(VerificationError):
    """The time in the header differs from this machine's clock by more than the tolerance."""


class TimestampTooOld(TimestampOutOfTolerance):
    """The request was signed too long ago."""


class TimestampTooNew(TimestampOutOfTolerance):
    """The request was signed too far in the future."""


class SignatureMismatch(VerificationError):
    """No signature in the header matches this body and this secret."""


class InvalidPayload(VerificationError):
    """The body is signed correctly, but it is not a JSON object."""
