"use strict";

/** The request must not be trusted. Respond with 400 and do not act on it. */
class VerificationError extends Error {}

/** The request carries no signature header. */
class SignatureMissing extends VerificationError {}

/** The signature header is not of the form `t=<milliseconds>,v1=<hex>[,v1=<hex>…]`. */
class InvalidHeader extends VerificationError {}

/** The time in the header differs from this machine's clock by more than the tolerance. */
class TimestampOutOfTolerance extends VerificationError {}

/** The request was signed too long ago. */
class TimestampTooOld extends TimestampOutOfTolerance {}

/** The request was signed too far in the future. */
class TimestampTooNew extends TimestampOutOfTolerance {}

/** No signature in the header matches this body and this secret. */
class SignatureMismatch extends VerificationError {}

/** The body is signed correctly, but it is not a JSON object. */
class InvalidPayload extends VerificationError {}

const errors = {
  InvalidHeader,
  InvalidPayload,
  SignatureMismatch,
  SignatureMissing,
  TimestampOutOfTolerance,
  TimestampTooNew,
  TimestampTooOld,
  VerificationError,
};

// Set explicitly, because a bundler may rename the classes.
for (const [name, kind] of Object.entries(errors)) {
  Object.defineProperty(kind.prototype, "name", { value: name, configurable: true, writable: true });
}

module.exports = errors;
