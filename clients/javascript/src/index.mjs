// The same objects as the CommonJS module's, so that `instanceof` holds however the package was loaded.
export {
  DEFAULT_TOLERANCE,
  InvalidHeader,
  InvalidPayload,
  SIGNATURE_HEADER,
  SignatureMismatch,
  SignatureMissing,
  TimestampOutOfTolerance,
  TimestampTooNew,
  TimestampTooOld,
  VerificationError,
  sign,
  toolsSecret,
  verify,
  webhookSecret,
} from "./index.cjs";
