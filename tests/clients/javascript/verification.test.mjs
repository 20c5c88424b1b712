// The JavaScript client against the vectors that every client shares. Run by tests/clients/test_javascript_client.py.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { runInNewContext } from "node:vm";

import {
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
const SECRET = "14b4588523f65b695545caab203c414425a89d56fa40d8569974e49fcfe66823";
const NO_CHECK = { tolerance: null };

function verifyVector(vector, payload) {
  const { tolerance, now } = vector;
  return verify(payload, vector.header, vector.secret, { tolerance, now });
}

function thrownBy(call) {
  try {
    call();
  } catch (problem) {
    return problem;
  }
  return assert.fail("nothing was thrown");
}

describe("secrets", () => {
  for (const vector of VECTORS.secrets) {
    test(`a key gives the secrets of the vectors: ${vector.key.slice(-8)}`, () => {
      assert.equal(webhookSecret(vector.key), vector.webhooks);
      assert.equal(toolsSecret(vector.key), vector.tools);
    });
  }

  for (const vector of VECTORS.refused_keys) {
    test(`what cannot be a secret key is refused: ${vector.why}`, () => {
      assert.throws(() => webhookSecret(vector.key), { name: "RangeError", message: /key|token/ });
      assert.throws(() => toolsSecret(vector.key), RangeError);
    });
  }

  test("a key that is no string, such as a missing variable of the environment, is refused with its type", () => {
    assert.throws(() => webhookSecret(undefined), { name: "TypeError", message: /not undefined/ });
    assert.throws(() => webhookSecret(null), { name: "TypeError", message: /not null/ });
    assert.throws(() => webhookSecret(Buffer.from("svc_key_x")), { name: "TypeError", message: /not object/ });
  });

  test("a key with half a surrogate pair is refused, because two such keys would have one secret", () => {
    assert.throws(() => webhookSecret("svc_key_\ud83d"), { name: "RangeError", message: /UTF-8/ });
  });
});

describe("deliveries", () => {
  for (const vector of VECTORS.deliveries.filter((delivery) => delivery.expect === "ok")) {
    test(`verifies in every form of a body: ${vector.name}`, () => {
      const bytes = Buffer.from(vector.payload, "utf8");
      const event = JSON.parse(vector.payload);
      assert.deepEqual(verifyVector(vector, bytes), event);
      assert.deepEqual(verifyVector(vector, new Uint8Array(bytes)), event);
      assert.deepEqual(verifyVector(vector, new Uint8Array(bytes).buffer), event);
      assert.deepEqual(verifyVector(vector, vector.payload), event);
    });
  }

  for (const vector of VECTORS.deliveries.filter((delivery) => delivery.expect !== "ok")) {
    test(`is refused as ${vector.expect}: ${vector.name}`, () => {
      const problem = thrownBy(() => verifyVector(vector, Buffer.from(vector.payload, "utf8")));
      assert.equal(problem.constructor, REASONS[vector.expect]);
      assert.equal(problem.name, problem.constructor.name);
      assert.ok(problem instanceof VerificationError);
    });
  }

  test("the vectors have every reason", () => {
    const met = new Set(VECTORS.deliveries.map((delivery) => delivery.expect));
    assert.deepEqual(met, new Set(["ok", ...Object.keys(REASONS)]));
    assert.deepEqual(met, new Set(Object.keys(VECTORS.expect)));
  });

  test("without a tolerance given five minutes by the clock hold", () => {
    const now = Date.now();
    assert.equal(DEFAULT_TOLERANCE, 300_000);
    assert.deepEqual(verify("{}", sign("{}", SECRET, now), SECRET), {});
    assert.deepEqual(verify("{}", sign("{}", SECRET, now), SECRET, { tolerance: undefined }), {});
    assert.throws(() => verify("{}", sign("{}", SECRET, now - 301_000), SECRET), TimestampTooOld);
    assert.throws(() => verify("{}", sign("{}", SECRET, now + 310_000), SECRET), TimestampTooNew);
  });

  test("both wrong times are caught as one", () => {
    assert.ok(new TimestampTooOld() instanceof TimestampOutOfTolerance);
    assert.ok(new TimestampTooNew() instanceof TimestampOutOfTolerance);
  });

  test("a missing header may be null, undefined or an empty list", () => {
    for (const header of [null, undefined, []]) {
      assert.throws(() => verify("{}", header, SECRET), SignatureMissing);
    }
  });

  test("a list of one header is that header, and two headers are refused", () => {
    const header = sign("{}", SECRET, 1763683200000);
    assert.deepEqual(verify("{}", [header], SECRET, NO_CHECK), {});
    assert.throws(() => verify("{}", [header, header], SECRET, NO_CHECK), InvalidHeader);
  });

  test("a rightly signed body that is no JSON object is refused", () => {
    const bodies = [Buffer.alloc(200_000, "["), Buffer.from([0xff, 0xfe]), '{"id": "evt', "null", "1", '"text"', "\ufeff{}"];
    for (const body of bodies) {
      assert.throws(() => verify(body, sign(body, SECRET, 1763683200000), SECRET, NO_CHECK), InvalidPayload);
    }
  });

  test("different texts never have one signature, not even with half a surrogate pair", () => {
    const header = sign('{"a":"\ufffd"}', SECRET, 1);
    assert.throws(() => verify('{"a":"\ud83d"}', header, SECRET, NO_CHECK), SignatureMismatch);
    assert.throws(() => verify("{}", "t=1,v1=\ud83d", SECRET, NO_CHECK), SignatureMismatch);
  });

  test("a changed bit anywhere in the body does not verify", () => {
    const body = Buffer.from('{"id":"evt_1","data":{"text":"Grüße"}}', "utf8");
    const header = sign(body, SECRET, 1763683200000);
    for (let index = 0; index < body.length; index += 1) {
      const changed = Buffer.from(body);
      changed[index] ^= 1;
      assert.throws(() => verify(changed, header, SECRET, NO_CHECK), SignatureMismatch);
    }
  });

  test("a body made in another realm, as some test runners do, is taken", () => {
    const foreign = runInNewContext("new Uint8Array([123, 125])");
    assert.equal(foreign instanceof Uint8Array, false);
    assert.deepEqual(verify(foreign, sign("{}", SECRET, 1), SECRET, NO_CHECK), {});
  });
});

describe("mistakes in the calling program", () => {
  const header = sign("{}", SECRET, 1763683200000);

  test("a parsed body", () => {
    assert.throws(() => verify({ id: "evt_1" }, header, SECRET), { name: "TypeError", message: /as received.*not Object/ });
    assert.throws(() => verify(undefined, header, SECRET), { name: "TypeError", message: /not undefined/ });
    assert.throws(() => verify(null, header, SECRET), { name: "TypeError", message: /not null/ });
  });

  test("the key in place of the secret", () => {
    const { key } = VECTORS.secrets[0];
    assert.throws(() => verify("{}", header, key), { name: "RangeError", message: /webhookSecret/ });
    assert.throws(() => sign("{}", key, 1), RangeError);
  });

  test("an empty secret, and none", () => {
    assert.throws(() => verify("{}", header, ""), { name: "RangeError", message: /empty/ });
    assert.throws(() => verify("{}", header, undefined), { name: "TypeError", message: /not undefined/ });
  });

  test("a header of another type", () => {
    assert.throws(() => verify("{}", Buffer.from(header), SECRET), { name: "TypeError", message: /header.*not Buffer/ });
  });

  test("options that would switch the check of the time off unseen", () => {
    for (const tolerance of [Number.NaN, Number.POSITIVE_INFINITY, -1, "300000"]) {
      assert.throws(() => verify("{}", header, SECRET, { tolerance }), { name: "TypeError", message: /tolerance/ });
    }
    for (const now of [Number.NaN, new Date(), null]) {
      assert.throws(() => verify("{}", header, SECRET, { now }), { name: "TypeError", message: /present time/ });
    }
    for (const options of [null, 300_000]) {
      assert.throws(() => verify("{}", header, SECRET, options), { name: "TypeError", message: /options/ });
    }
  });

  test("a time to sign that is no number of milliseconds", () => {
    for (const timestamp of [new Date(), Number.NaN, 1.5, "1763683200000"]) {
      assert.throws(() => sign("{}", SECRET, timestamp), { name: "TypeError", message: /milliseconds/ });
    }
  });
});

test("the header's name is the one that the service sends", () => {
  assert.equal(SIGNATURE_HEADER, "svc-signature");
});

test("while keys are rotated, one of several secrets must fit", () => {
  const [old, fresh, other] = ["1", "2", "3"].map((digit) => digit.repeat(64));
  for (const signing of [old, fresh]) {
    const header = sign('{"id":"evt_1"}', signing, 1763683200000);
    for (const secrets of [[fresh, old], [old, fresh], [signing]]) {
      assert.deepEqual(verify('{"id":"evt_1"}', header, secrets, NO_CHECK), { id: "evt_1" });
    }
    assert.throws(() => verify('{"id":"evt_1"}', header, [other], NO_CHECK), SignatureMismatch);
    assert.throws(() => verify('{"id":"evt_1"}', header, [], NO_CHECK), RangeError);
    assert.throws(() => verify('{"id":"evt_1"}', header, [signing, ""], NO_CHECK), RangeError);
    assert.throws(() => verify('{"id":"evt_1"}', header, [signing, 5], NO_CHECK), TypeError);
  }
});
