// The Standard Webhooks form of the JavaScript client, against the vectors that every client shares.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";

import {
  InvalidHeader,
  InvalidPayload,
  STANDARD_HEADERS,
  SignatureMismatch,
  SignatureMissing,
  TimestampTooNew,
  TimestampTooOld,
  VerificationError,
  signStandard,
  verifyStandard,
} from "../../../clients/javascript/src/index.mjs";

const VECTORS = JSON.parse(readFileSync(new URL("../../../clients/test-vectors.json", import.meta.url), "utf8"));
const REASONS = {
  missing: SignatureMissing,
  invalid_header: InvalidHeader,
  too_old: TimestampTooOld,
  too_new: TimestampTooNew,
  mismatch: SignatureMismatch,
  invalid_payload: InvalidPayload,
};
const SECRET = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const ID = "evt_00000000000000000000000000000001";
const BODY = `{"id":"${ID}"}`;
const NO_CHECK = { tolerance: null };

function verifyVector(vector, payload, headers = vector.headers) {
  const { tolerance, now } = vector;
  return verifyStandard(payload, headers, vector.secret, { tolerance, now });
}

function thrownBy(call) {
  try {
    call();
  } catch (problem) {
    return problem;
  }
  return assert.fail("nothing was thrown");
}

describe("deliveries of the Standard Webhooks form", () => {
  for (const vector of VECTORS.standard) {
    if (vector.expect === "ok") {
      test(`verifies as bytes and as text: ${vector.name}`, () => {
        assert.deepEqual(verifyVector(vector, Buffer.from(vector.payload)), JSON.parse(vector.payload));
        assert.deepEqual(verifyVector(vector, vector.payload), JSON.parse(vector.payload));
      });
    } else {
      test(`is refused with its reason: ${vector.name}`, () => {
        const problem = thrownBy(() => verifyVector(vector, Buffer.from(vector.payload)));
        assert.equal(problem.constructor, REASONS[vector.expect]);
        assert.ok(problem instanceof VerificationError);
      });
    }
  }

  test("the vectors have every reason", () => {
    const expected = new Set(["ok", ...Object.keys(REASONS)]);
    assert.deepEqual(new Set(VECTORS.standard.map((vector) => vector.expect)), expected);
  });

  test("the headers may be a Headers", () => {
    const vector = VECTORS.standard.find(({ name }) => name === "a delivery just signed");
    assert.deepEqual(verifyVector(vector, vector.payload, new Headers(vector.headers)), JSON.parse(vector.payload));
    const missing = thrownBy(() => verifyVector(vector, vector.payload, new Headers()));
    assert.equal(missing.constructor, SignatureMissing);
  });

  test("without a tolerance given five minutes by the clock hold", () => {
    const now = Date.now();
    assert.deepEqual(verifyStandard(BODY, signStandard(BODY, SECRET, ID, now), SECRET), { id: ID });
    assert.throws(() => verifyStandard(BODY, signStandard(BODY, SECRET, ID, now - 302_000), SECRET), TimestampTooOld);
    assert.throws(() => verifyStandard(BODY, signStandard(BODY, SECRET, ID, now + 310_000), SECRET), TimestampTooNew);
  });

  test("what is signed carries the three headers", () => {
    const headers = signStandard(BODY, SECRET, ID, 1763683200999);
    assert.deepEqual(Object.keys(headers), STANDARD_HEADERS);
    assert.equal(headers["webhook-timestamp"], "1763683200");
    assert.throws(() => signStandard(BODY, SECRET, ID, "1763683200999"), TypeError);
  });

  test("a secret of another form is a mistake of the program", () => {
    const headers = signStandard(BODY, SECRET, ID, 1_000);
    const wrong = ["svc_key_x", "14b45885", "", "whsec_", "whsec_AAEC…", "whsec_AAEC\n", "whsec_AAE"];
    for (const secret of wrong) {
      assert.throws(() => verifyStandard(BODY, headers, secret, NO_CHECK), RangeError, secret);
    }
    for (const secret of [null, undefined, Buffer.from("whsec_AAEC")]) {
      assert.throws(() => verifyStandard(BODY, headers, secret, NO_CHECK), TypeError);
    }
  });

  test("a parsed body and a header alone are mistakes of the program", () => {
    const headers = signStandard(BODY, SECRET, ID, 1_000);
    assert.throws(() => verifyStandard(JSON.parse(BODY), headers, SECRET, NO_CHECK), TypeError);
    for (const wrong of [headers["webhook-signature"], null, undefined, []]) {
      assert.throws(() => verifyStandard(BODY, wrong, SECRET, NO_CHECK), TypeError);
    }
  });

  test("a tolerance that would switch the check off unseen is refused", () => {
    const headers = signStandard(BODY, SECRET, ID, 1_000);
    for (const tolerance of [Number.NaN, "300000", -1]) {
      assert.throws(() => verifyStandard(BODY, headers, SECRET, { tolerance }), TypeError);
    }
  });
});

test("a list of values, as Node's types allow it, is the values joined by commas", () => {
  const headers = signStandard(BODY, SECRET, ID, 1_000);
  const lists = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
  assert.deepEqual(verifyStandard(BODY, lists, SECRET, NO_CHECK), JSON.parse(BODY));
  const twice = { ...headers, "webhook-timestamp": ["1", "1"] };
  assert.throws(() => verifyStandard(BODY, twice, SECRET, NO_CHECK), InvalidHeader);
});

test("a header that is no text is a mistake of the program", () => {
  for (const name of STANDARD_HEADERS) {
    const headers = { ...signStandard(BODY, SECRET, ID, 1_000), [name]: 5 };
    assert.throws(() => verifyStandard(BODY, headers, SECRET, NO_CHECK), TypeError);
  }
});

test("while a secret is rotated, one of several must fit", () => {
  const other = `whsec_${"A".repeat(43)}=`;
  const headers = signStandard(BODY, SECRET, ID, 1763683200000);
  for (const secrets of [[other, SECRET], [SECRET, other], [SECRET]]) {
    assert.equal(verifyStandard(BODY, headers, secrets, NO_CHECK).id, ID);
  }
  assert.throws(() => verifyStandard(BODY, headers, [other], NO_CHECK), SignatureMismatch);
  for (const mistake of [[], [SECRET, "whsec_"], [SECRET, "svc_key_x"]]) {
    assert.throws(() => verifyStandard(BODY, headers, mistake, NO_CHECK), RangeError);
  }
});
