"use strict";

/**
 * Verify that a webhook was sent by your Helpdesk, with nothing but Node's own modules.
 *
 *     import { SIGNATURE_HEADER, VerificationError, verify, webhookSecret } from "helpdesk-webhooks";
 *
 *     const secret = webhookSecret("svc_key_…"); // once, when the program starts
 *
 *     try {
 *       const event = verify(rawBody, request.headers[SIGNATURE_HEADER], secret);
 *     } catch (problem) {
 *       if (!(problem instanceof VerificationError)) throw problem;
 *       return [400, problem.message];
 *     }
 *
 * An endpoint that has a secret of its own (`whsec_…`) also gets a signature in the Standard Webhooks form:
 *
 *     const event = verifyStandard(rawBody, request.headers, "whsec_…");
 *
 * The errors form one tree:
 *
 *     VerificationError
 *      ├── SignatureMissing           the request has no signature header
 *      ├── InvalidHeader              the header is not `t=<milliseconds>,v1=<hex>`
 *      ├── TimestampOutOfTolerance
 *      │    ├── TimestampTooOld       signed too long ago: a replay, or a slow clock at the sender
 *      │    └── TimestampTooNew       signed in the future: this machine's clock is behind
 *      ├── SignatureMismatch          another secret, or the body was changed
 *      └── InvalidPayload             correctly signed, but not a JSON object
 */

const { siteSecret, toolsSecret, webhookSecret } = require("./derivation.cjs");
const {
  InvalidHeader,
  InvalidPayload,
  SignatureMismatch,
  SignatureMissing,
  TimestampOutOfTolerance,
  TimestampTooNew,
  TimestampTooOld,
  VerificationError,
} = require("./errors.cjs");
const { STANDARD_HEADERS, signStandard, verifyStandard } = require("./standard.cjs");
const { DEFAULT_TOLERANCE, SIGNATURE_HEADER, sign, verify } = require("./verification.cjs");

module.exports = {
  DEFAULT_TOLERANCE,
  InvalidHeader,
  InvalidPayload,
  SIGNATURE_HEADER,
  STANDARD_HEADERS,
  SignatureMismatch,
  SignatureMissing,
  TimestampOutOfTolerance,
  TimestampTooNew,
  TimestampTooOld,
  VerificationError,
  sign,
  signStandard,
  siteSecret,
  toolsSecret,
  verify,
  verifyStandard,
  webhookSecret,
};
