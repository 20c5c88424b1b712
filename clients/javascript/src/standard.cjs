"use strict";

/* Verification of signatures in the Standard Webhooks form, for an endpoint that has a secret of its own. */

const { createHmac } = require("node:crypto");
const { InvalidHeader, SignatureMismatch, SignatureMissing } = require("./errors.cjs");
const {
  TIMESTAMP,
  asBytes,
  asSecrets,
  checkTime,
  eventIn,
  kindOf,
  readOptions,
  sameBytes,
  utf8,
} = require("./verification.cjs");

/** The three headers' names, in lower case as Node writes the names in `request.headers`. */
const STANDARD_HEADERS = Object.freeze(["webhook-id", "webhook-timestamp", "webhook-signature"]);

const PREFIX = "whsec_";
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * Check that `payload` was recently signed with `secret`; return the event in it.
 *
 * payload            the request's body exactly as received, before any parsing; text is taken as UTF-8
 * headers            the request's headers: an object, names in any case, or a `Headers`
 * secret             the response of the request that created the endpoint's secret, `whsec_…`; while it is rotated, an
 *                    array of several, of which one must fit
 * options.tolerance  how far the header's time may lie from this machine's clock, before or after, in
 *                    milliseconds; null switches the check off (for stored deliveries, and tests)
 * options.now        the present time in milliseconds; the clock's by default
 *
 * Throws a VerificationError, each kind a class of its own; and a TypeError or RangeError for a mistake
 * in the calling program (a parsed body, a key instead of the secret), whatever the request contains.
 */
function verifyStandard(payload, headers, secret, options = {}) {
  const body = asBytes(payload);
  const keys = asSecrets(secret).map(keyOf);
  const { tolerance, now } = readOptions(options);
  const { id, timestamp, candidates } = parse(headers);
  if (tolerance !== null) {
    checkTime(Number(timestamp) * 1000, tolerance, now);
  }
  // Every pair is compared, so that the duration does not reveal which one came closest.
  const matches = keys.flatMap((key) => {
    const expected = Buffer.from(mac(id, timestamp, body, key), "latin1");
    return candidates.map((candidate) => sameBytes(expected, utf8(candidate)));
  });
  if (!matches.includes(true)) {
    throw new SignatureMismatch(
      "No signature in the headers fits. Check that the body is passed exactly as received, and that " +
        "the secret is this endpoint's.",
    );
  }
  return eventIn(body);
}

/**
 * The headers that the service would send with `payload` at `timestamp` (milliseconds).
 *
 * For tests of a receiver: it lets them make deliveries that verify.
 */
function signStandard(payload, secret, id, timestamp) {
  if (!Number.isSafeInteger(timestamp)) {
    throw new TypeError("The timestamp must be a whole number of milliseconds, such as Date.now().");
  }
  const seconds = String(Math.floor(timestamp / 1000));
  const signature = mac(id, seconds, asBytes(payload), keyOf(secret));
  return { "webhook-id": id, "webhook-timestamp": seconds, "webhook-signature": `v1,${signature}` };
}

function keyOf(secret) {
  if (typeof secret !== "string") {
    throw new TypeError(`The secret must be a string, not ${kindOf(secret)}.`);
  }
  if (!secret.startsWith(PREFIX)) {
    throw new RangeError("This is not a secret of the Standard Webhooks form, whsec_…");
  }
  const text = secret.slice(PREFIX.length);
  if (!BASE64.test(text)) {
    throw new RangeError("The secret is not whole: after whsec_ stands base64.");
  }
  if (text === "") {
    throw new RangeError("The secret is empty after whsec_.");
  }
  return Buffer.from(text, "base64");
}

function parse(headers) {
  const [id, timestamp, signature] = STANDARD_HEADERS.map((name) => {
    const value = valueOf(headers, name);
    if (typeof value !== "string" || /^[ \t]*$/.test(value)) {
      throw new SignatureMissing(`The request has no ${name} header.`);
    }
    return value;
  });
  if (!TIMESTAMP.test(timestamp)) {
    throw new InvalidHeader("The webhook-timestamp header needs a whole number of seconds.");
  }
  // Other versions are ignored, so that a later scheme can be sent in addition to this one.
  const candidates = signature
    .split(" ")
    .filter((part) => part.startsWith("v1,"))
    .map((part) => part.slice("v1,".length));
  if (candidates.length === 0) {
    throw new InvalidHeader("The webhook-signature header needs at least one v1,<base64>.");
  }
  return { id, timestamp, candidates };
}

function valueOf(headers, name) {
  if (typeof headers !== "object" || headers === null || Array.isArray(headers)) {
    throw new TypeError(`The headers must be an object or a Headers, not ${kindOf(headers)}.`);
  }
  if (typeof headers.get === "function") {
    return headers.get(name);
  }
  // Repeated headers are joined by commas, as HTTP defines.
  const values = Object.keys(headers)
    .filter((key) => key.toLowerCase() === name)
    .flatMap((key) => headers[key])
    .filter((value) => value !== null && value !== undefined);
  for (const value of values) {
    if (typeof value !== "string") {
      throw new TypeError(`The ${name} header must be a string, not ${kindOf(value)}.`);
    }
  }
  return values.join(", ");
}

function mac(id, timestamp, body, key) {
  return createHmac("sha256", key).update(utf8(`${id}.${timestamp}.`)).update(body).digest("base64");
}

module.exports = { STANDARD_HEADERS, signStandard, verifyStandard };
