// Reads a JSON list of calls on the standard input and writes the list of the JavaScript client's results:
// the event, the name of the error, or the secret. tests/clients/test_javascript_client.py compares it with Python's.

import { readFileSync } from "node:fs";

import { verify, webhookSecret } from "../../../clients/javascript/src/index.mjs";

function answer(call) {
  try {
    if ("key" in call) return { secret: webhookSecret(call.key) };
    const payload = "text" in call ? call.text : Buffer.from(call.hex, "hex");
    return { event: verify(payload, call.header, call.secret, { tolerance: call.tolerance, now: call.now }) };
  } catch (problem) {
    return { error: problem.name };
  }
}

process.stdout.write(JSON.stringify(JSON.parse(readFileSync(0, "utf8")).map(answer)));
