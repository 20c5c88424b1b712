// The toolbox: what a function's exceptions become, repeats, serving, and what cannot be a tool.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { Readable } from "node:stream";
import { test } from "node:test";

const require = createRequire(import.meta.url);
const { sign, toolsSecret } = require("../../../clients/javascript/src/index.cjs");
const { MemoryStore, Refused, Toolbox } = require("../../../clients/javascript/src/tools.cjs");

const KEY = "svc_key_01jd3kq8v5zt4m9rx2c7w6ybne_7ELSZgnu18FMTahov29GNUbipw3AHOVcjqx4BIPWdkr";
const SECRET = toolsSecret(KEY);

function aCall(tool, { id = "call_1", input = {} } = {}) {
  const context = { visitor: null, conversationId: "conv_1", test: false };
  return Buffer.from(JSON.stringify({ id, tool, input, context }));
}

function withTool(run, options = {}) {
  const tools = new Toolbox({ key: KEY, store: options.store });
  return tools.add({ name: "t", description: "A tool.", risk: "low", input: { type: "object" }, run, ...options });
}

async function sent(tools, body) {
  const { status, body: text } = await tools.respond("POST", sign(body, SECRET, Date.now()), body);
  return [status, JSON.parse(text)];
}

test("a failure of a tool that changes things is not known to have done nothing", async (context) => {
  context.mock.method(console, "error", () => {});
  const fail = () => {
    throw new Error("secret");
  };
  assert.deepEqual(await sent(withTool(fail), aCall("t")), [500, { error: "The tool failed." }]);
  const [status, { error }] = await sent(withTool(fail, { risk: "high" }), aCall("t"));
  assert.deepEqual([status, error], [504, "The tool failed. It may have done a part of its work."]);
  assert.equal((await sent(withTool(() => 1n), aCall("t")))[0], 500);
});

test("a tool gets its context and refuses; without a result it returns null", async () => {
  const refuse = (input, { callId, conversationId }) => {
    throw new Refused(`${callId} ${conversationId}`);
  };
  assert.deepEqual(await sent(withTool(refuse), aCall("t")), [200, { ok: false, error: "call_1 conv_1" }]);
  assert.deepEqual(await sent(withTool(() => undefined), aCall("t")), [200, null]);
});

test("a call that comes again waits for the first response", async () => {
  let ran = 0;
  let finish;
  const tools = withTool(() => {
    ran += 1;
    return new Promise((resolve) => (finish = resolve));
  });
  const first = sent(tools, aCall("t"));
  const second = sent(tools, aCall("t"));
  while (finish === undefined) await new Promise(setImmediate);
  finish({ done: true });
  assert.deepEqual([await first, await second, ran], [[200, { done: true }], [200, { done: true }], 1]);
});

test("the store in memory forgets the oldest call", async () => {
  const store = new MemoryStore(2);
  for (const id of ["a", "b", "c"]) assert.equal(await store.claim(id, "f"), null);
  assert.equal(await store.claim("a", "f"), null);
  assert.notEqual(await store.claim("c", "f"), null);
});

test("a Lambda function URL and a parsed body of Express", async (context) => {
  const tools = withTool(() => 1);
  const body = aCall("t");
  const signature = sign(body, SECRET, Date.now());
  const event = {
    requestContext: { http: { method: "POST" } },
    headers: { "Svc-Signature": signature },
    body: body.toString("base64"),
    isBase64Encoded: true,
  };
  assert.deepEqual((await tools.lambda(event)).body, "1");

  const answered = async (request) => {
    const response = { headersSent: false, writeHead: (status) => ((response.status = status), response), end() {} };
    await tools.node(request, response);
    return response.status;
  };
  const request = (more) =>
    Object.assign(Readable.from([body]), { method: "POST", headers: { "svc-signature": signature }, ...more });
  assert.equal(await answered(request()), 200);
  assert.equal(await answered(request({ body })), 200); // express.raw()
  context.mock.method(console, "error", () => {});
  const parsed = { method: "POST", headers: {}, body: {}, readableEnded: true }; // express.json()
  assert.equal(await answered(parsed), 500);
  assert.match(String(console.error.mock.calls[0].arguments[0]), /before express\.json/);
  assert.equal(await answered(Object.assign(Readable.from([Buffer.alloc(1_000_001)]), { method: "POST" })), 413);
});

test("what cannot be a tool is refused where it is declared", () => {
  const good = { name: "u", description: "A tool.", risk: "low", input: { type: "object" }, run() {} };
  const wrongs = [{ name: "a b" }, { name: "t" }, { risk: "none" }, { description: " " }, { description: "x".repeat(2_001) }, { input: {} }, { run: 1 }];
  for (const wrong of wrongs) {
    assert.throws(() => withTool(() => 1).add({ ...good, ...wrong }), /name|risk|description|JSON Schema|function/);
  }
  assert.throws(() => new Toolbox({ key: "svc_pk_1" }), RangeError);
});
