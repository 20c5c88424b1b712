"use strict";

/*
 * The secrets that belong to a secret key.
 *
 * The service never sends a webhook secret anywhere: sender and receiver both derive it from the secret
 * key, with HKDF (RFC 5869) and a label for its purpose, so that neither secret reveals anything about the
 * key or about the other.
 */

const { hkdfSync } = require("node:crypto");

const SECRET_BYTES = 32;
const PUBLISHABLE_PREFIX = "svc_pk_";
const ACCESS_PREFIX = "svc_oat_";
const WHITE_SPACE = /[\t-\r\x1c-\x20\x85\p{Z}]/u;
const LONE_SURROGATE = /\p{Cs}/u;

/**
 * The secret that signs the webhooks of an endpoint added with `key`.
 *
 * `key` is the whole secret key (`svc_key_…`). Returns 64 lower-case hex characters. They are used
 * as text: the bytes of those characters are the HMAC key.
 *
 * Throws a RangeError for something that cannot be a secret key, a TypeError for what is not a string.
 */
function webhookSecret(key) {
  return derive(key, "webhooks");
}

/** The secret that signs the calls of tools. Same form as `webhookSecret`. */
function toolsSecret(key) {
  return derive(key, "tools");
}

/** The secret that signs sign-ins to the help site. Same form as `webhookSecret`. */
function siteSecret(key) {
  return derive(key, "site");
}

function derive(key, purpose) {
  requireSecretKey(key);
  return Buffer.from(hkdfSync("sha256", Buffer.from(key, "utf8"), "", purpose, SECRET_BYTES)).toString("hex");
}

/**
 * Catch mistakes that would otherwise only show as signatures that never match.
 *
 * A key without a known prefix is accepted: keys from before the present scheme have none.
 */
function requireSecretKey(key) {
  if (typeof key !== "string") {
    throw new TypeError(`The key must be a string, not ${key === null ? "null" : typeof key}.`);
  }
  if (key === "") {
    throw new RangeError("The key is empty. Pass the whole secret key, svc_key_…");
  }
  if (WHITE_SPACE.test(key)) {
    throw new RangeError("The key contains white space, perhaps a line break from a file. Trim it first.");
  }
  if (LONE_SURROGATE.test(key)) {
    throw new RangeError("The key is not text that UTF-8 can write.");
  }
  if (key.startsWith(PUBLISHABLE_PREFIX)) {
    throw new RangeError("This is a publishable key. Webhooks are signed with a secret key, svc_key_…");
  }
  if (key.startsWith(ACCESS_PREFIX)) {
    throw new RangeError("This is an access token. Webhooks are signed with a secret key, svc_key_…");
  }
}

module.exports = { siteSecret, toolsSecret, webhookSecret };
