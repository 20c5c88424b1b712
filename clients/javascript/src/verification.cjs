"use strict";

/* Verification of a delivery's signature. */

const { createHmac, timingSafeEqual } = require("node:crypto");
const { isAnyArrayBuffer, isUint8Array } = require("node:util").types;
const {
  InvalidHeader,
  InvalidPayload,
  SignatureMismatch,
  SignatureMissing,
  TimestampTooNew,
  TimestampTooOld,
} = require("./errors.cjs");

/** The header's name, in lower case as Node writes the names in `request.headers`. */
const SIGNATURE_HEADER = "svc-signature";

/** Five minutes, in milliseconds. */
const DEFAULT_TOLERANCE = 300_000;

// At most 15 digits: exact in every language's numbers, and enough for the next thirty thousand years.
const TIMESTAMP = /^[1-9][0-9]{0,14}$/;
const LONE_SURROGATE = /\p{Cs}/u;
// A byte order mark stays in the text, where JSON.parse refuses it.
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Check that `payload` was recently signed with `secret`; return the event in it.
 *
 * payload            the request's body exactly as received, before any parsing; text is taken as UTF-8
 * header             the value of `svc-signature`, or null or undefined when the request has none
 * secret             what `webhookSecret(key)` returns, 64 hex characters; while keys are rotated, an array of several,
 *                    of which one must fit
 * options.tolerance  how far the header's time may lie from this machine's clock, before or after, in
 *                    milliseconds; null switches the check off (for stored deliveries, and tests)
 * options.now        the present time in milliseconds; the clock's by default
 *
 * Throws a VerificationError, each kind a class of its own; and a TypeError or RangeError for a mistake
 * in the calling program (a parsed body, the key instead of the secret), whatever the request contains.
 */
function verify(payload, header, secret, options = {}) {
  return eventIn(verifySignature(payload, header, secret, options));
}

/** The same for a request whose body need not be an event, such as a GET: its body is empty. Returns the body. */
function verifySignature(payload, header, secret, options = {}) {
  const body = asBytes(payload);
  const secrets = asSecrets(secret);
  secrets.forEach(requireSecret);
  const { tolerance, now } = readOptions(options);

  const { timestamp, candidates } = parse(asText(header));
  if (tolerance !== null) {
    checkTime(Number(timestamp), tolerance, now);
  }
  // Every pair is compared, so that the duration does not reveal which one came closest.
  const matches = secrets.flatMap((each) => {
    const expected = Buffer.from(mac(timestamp, body, each), "latin1");
    return candidates.map((candidate) => sameBytes(expected, utf8(candidate)));
  });
  if (!matches.includes(true)) {
    throw new SignatureMismatch(
      "No signature in the header fits. Check that the body is passed exactly as received, and that " +
        "the secret belongs to the key that registered this endpoint.",
    );
  }
  return body;
}

/**
 * The header that the service would send with `payload` at `timestamp` (milliseconds).
 *
 * For tests of a receiver: it lets them make deliveries that verify.
 */
function sign(payload, secret, timestamp) {
  requireSecret(secret);
  if (!Number.isSafeInteger(timestamp)) {
    throw new TypeError("The timestamp must be a whole number of milliseconds, such as Date.now().");
  }
  return `t=${timestamp},v1=${mac(String(timestamp), asBytes(payload), secret)}`;
}

function asBytes(payload) {
  if (isUint8Array(payload)) {
    return payload;
  }
  if (isAnyArrayBuffer(payload)) {
    return new Uint8Array(payload);
  }
  if (typeof payload === "string") {
    return utf8(payload);
  }
  throw new TypeError(
    `The payload must be the body as received, a Buffer, Uint8Array, ArrayBuffer or string, not ${kindOf(payload)}. ` +
      "JSON that was parsed and written again has other bytes.",
  );
}

/**
 * Text in UTF-8. Half a surrogate pair, which no body or header can contain, becomes three bytes of its own:
 * Node would write the same replacement character for each, and different texts must not look alike.
 */
function utf8(text) {
  if (!LONE_SURROGATE.test(text)) {
    return Buffer.from(text, "utf8");
  }
  const written = Array.from(text, (character) => {
    const code = character.codePointAt(0);
    return LONE_SURROGATE.test(character)
      ? Buffer.from([0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f)])
      : Buffer.from(character, "utf8");
  });
  return Buffer.concat(written);
}

/** The secrets to try: the one that was passed, or those of an array. */
function asSecrets(secret) {
  if (!Array.isArray(secret)) {
    return [secret];
  }
  if (secret.length === 0) {
    throw new RangeError("The list of secrets is empty.");
  }
  return secret;
}

function requireSecret(secret) {
  if (typeof secret !== "string") {
    throw new TypeError(`The secret must be a string, not ${kindOf(secret)}.`);
  }
  if (secret === "") {
    throw new RangeError("The secret is empty. Pass webhookSecret(key).");
  }
  if (secret.startsWith("svc_")) {
    throw new RangeError("This is a key, not its webhook secret. Pass webhookSecret(key).");
  }
}

/** Refuse values that would silently disable the time check: no comparison with NaN is ever true. */
function readOptions(options) {
  if (typeof options !== "object" || options === null) {
    throw new TypeError(`The options must be an object such as { tolerance: 300_000 }, not ${kindOf(options)}.`);
  }
  const { tolerance = DEFAULT_TOLERANCE, now = Date.now() } = options;
  if (tolerance !== null && !(Number.isFinite(tolerance) && tolerance >= 0)) {
    throw new TypeError("The tolerance must be a number of milliseconds, 0 or more, or null for no check.");
  }
  if (!Number.isFinite(now)) {
    throw new TypeError("The present time must be a number of milliseconds, such as Date.now().");
  }
  return { tolerance, now };
}

function asText(header) {
  if (header === null || header === undefined) {
    return "";
  }
  // Node's types allow a list for any header. Two signature headers have two t and are refused as such.
  const text = Array.isArray(header) ? header.join(",") : header;
  if (typeof text !== "string") {
    throw new TypeError(`The header must be a string, null or undefined, not ${kindOf(header)}.`);
  }
  return text;
}

function parse(header) {
  if (/^[ \t]*$/.test(header)) {
    throw new SignatureMissing(`The request has no ${SIGNATURE_HEADER} header.`);
  }
  const timestamps = [];
  const candidates = [];
  for (const part of header.split(",")) {
    const separator = part.indexOf("=");
    const name = separator < 0 ? part : part.slice(0, separator);
    const value = separator < 0 ? "" : part.slice(separator + 1);
    if (name === "t") {
      timestamps.push(value);
    } else if (name === "v1") {
      candidates.push(value);
    }
    // Other names are ignored, so that a later scheme can be sent in addition to this one.
  }
  if (timestamps.length !== 1 || !TIMESTAMP.test(timestamps[0])) {
    throw new InvalidHeader(`The ${SIGNATURE_HEADER} header needs one t=<milliseconds>.`);
  }
  if (candidates.length === 0) {
    throw new InvalidHeader(`The ${SIGNATURE_HEADER} header needs at least one v1=<hex>.`);
  }
  // The time as sent, because that text is what was signed.
  return { timestamp: timestamps[0], candidates };
}

function checkTime(timestamp, tolerance, now) {
  const age = now - timestamp;
  if (age > tolerance) {
    throw new TimestampTooOld(`The request was signed ${age} ms ago; ${tolerance} ms are allowed.`);
  }
  if (age < -tolerance) {
    throw new TimestampTooNew(
      `The request was signed ${-age} ms in the future; ${tolerance} ms are allowed. Check this machine's clock.`,
    );
  }
}

function mac(timestamp, body, secret) {
  return createHmac("sha256", utf8(secret)).update(`${timestamp}.`, "latin1").update(body).digest("hex");
}

function sameBytes(expected, candidate) {
  return expected.length === candidate.length && timingSafeEqual(expected, candidate);
}

function eventIn(body) {
  let event;
  try {
    event = JSON.parse(UTF8.decode(body));
  } catch (problem) {
    throw new InvalidPayload(`The body is not JSON: ${problem.message}`, { cause: problem });
  }
  if (typeof event !== "object" || event === null || Array.isArray(event)) {
    throw new InvalidPayload("The body is not a JSON object.");
  }
  return event;
}

function kindOf(value) {
  if (value === null) {
    return "null";
  }
  return typeof value === "object" ? (value.constructor?.name ?? "object") : typeof value;
}

module.exports = {
  DEFAULT_TOLERANCE,
  SIGNATURE_HEADER,
  TIMESTAMP,
  asBytes,
  asSecrets,
  checkTime,
  eventIn,
  kindOf,
  readOptions,
  sameBytes,
  sign,
  utf8,
  verify,
  verifySignature,
};
