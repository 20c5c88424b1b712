// Sign-ins to the help site, made by the JavaScript client. Run by tests/clients/test_javascript_client.py.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, test } from "node:test";

import { siteSecret } from "../../../clients/javascript/src/index.mjs";
import { TOKEN_SECONDS, signInAddress, signInToken, widgetToken } from "../../../clients/javascript/src/site.mjs";

const VECTORS = JSON.parse(readFileSync(new URL("../../../clients/test-vectors.json", import.meta.url), "utf8"));
const KEY = VECTORS.secrets[0].key;
const SITE = "https://support.example.com/site/acme";
const REDIRECT = `${SITE}/sign-in/return`;

describe("the vectors", () => {
  for (const { key, site } of VECTORS.secrets) {
    test(`the secret of ${key.slice(-8)}`, () => assert.equal(siteSecret(key), site));
  }
  for (const { name, key, state, now, token_id: tokenId, user, token } of VECTORS.sign_ins) {
    test(name, () => assert.equal(signInToken(key, state, user, { now, tokenId }), token));
  }
});

test("a token says who it is of and lives for a minute", () => {
  const token = signInToken(KEY, "the state", { id: "42", email: "a@b.example" }, { now: 1764000000.9 });
  const claims = JSON.parse(Buffer.from(token.split(".")[1], "base64url").toString("utf8"));
  assert.equal(claims.jti.length, 32);
  delete claims.jti;
  assert.deepEqual(claims, {
    aud: "org_01jd3kq8v5zt4m9rx2c7w6ybne",
    sub: "42",
    iat: 1764000000,
    exp: 1764000000 + TOKEN_SECONDS,
    state: "the state",
    email: "a@b.example",
    email_verified: false,
  });
});

test("a token for the widget says so in the place of a state", () => {
  const options = { now: 1764000000, tokenId: "t".repeat(16) };
  assert.equal(widgetToken(KEY, { id: "42" }, options), signInToken(KEY, "widget", { id: "42" }, options));
});

test("two tokens have ids of their own", () => {
  assert.equal(new Set(Array.from({ length: 10 }, () => signInToken(KEY, "s", { id: "42" }, { now: 0 }))).size, 10);
});

test("the address has the token where no server sees it", () => {
  const [address, token] = signInAddress(KEY, `${SITE}/`, REDIRECT, "s", { id: "42" }).split("#token=");
  assert.equal(address, REDIRECT);
  assert.equal(token.split(".").length, 3);
});

describe("a redirect to another place is refused", () => {
  for (const redirect of [
    "https://evil.example/site/acme/sign-in/return",
    "https://support.example.com.evil.example/site/acme/sign-in/return",
    "https://support.example.com@evil.example/site/acme/sign-in/return",
    "http://support.example.com/site/acme/sign-in/return",
    "https://support.example.com/site/other/sign-in/return",
    "https://support.example.com/site/acme/../other/sign-in/return",
    `${REDIRECT}?next=https://evil.example`,
    `${REDIRECT}#`,
    `${REDIRECT}/`,
    "//support.example.com/site/acme/sign-in/return",
    "javascript:alert(1)",
    "",
    undefined,
    [REDIRECT],
  ]) {
    test(String(redirect), () => {
      assert.throws(() => signInAddress(KEY, SITE, redirect, "s", { id: "42" }), /not an address of your help site/);
    });
  }
});

test("what cannot be a site, a state, a user or a key is refused", () => {
  assert.throws(() => signInAddress(KEY, "support.example.com", REDIRECT, "s", { id: "42" }), /`site`/);
  for (const state of ["", "s".repeat(1025), undefined]) assert.throws(() => signInToken(KEY, state, { id: "42" }), /state/);
  for (const id of ["", "x".repeat(201), 42, undefined]) assert.throws(() => signInToken(KEY, "s", { id }), /id/);
  for (const key of ["a-key-from-before", "svc_key_", "svc_key_org", "svc_key__x"]) {
    assert.throws(() => signInToken(key, "s", { id: "42" }), /svc_key_<organization>_<random>/);
  }
  for (const { key } of VECTORS.refused_keys) assert.throws(() => signInToken(key, "s", { id: "42" }), /key|token/);
});

test("both module systems have the same functions", () => {
  const required = createRequire(import.meta.url)("../../../clients/javascript/src/site.cjs");
  assert.equal(required.signInAddress, signInAddress);
  assert.equal(required.widgetToken, widgetToken);
});
