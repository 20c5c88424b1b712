"use strict";

/**
 * Write tools that your Helpdesk's agent may call, with nothing but Node's own modules.
 *
 *     import { createServer } from "node:http";
 *     import { FileStore, Refused, Toolbox } from "helpdesk-webhooks/tools";
 *
 *     const tools = new Toolbox({ key: process.env.HELPDESK_KEY, store: new FileStore("calls") });
 *
 *     tools.add({
 *       name: "find_order",
 *       description: "Find an order of the visitor by its number, such as A-1001.",
 *       risk: "low",
 *       input: { type: "object", properties: { number: { type: "string" } }, required: ["number"] },
 *       async run({ number }, context) {
 *         const order = orders.get(number);
 *         if (!order) throw new Refused("There is no order with this number.");
 *         return { status: order.status };
 *       },
 *     });
 *
 *     createServer(tools.node).listen(3000);  // or app.all("/tools", tools.node) with Express
 *     export const handler = tools.lambda;    // for a Lambda function URL
 *
 * The toolbox serves one URL: GET returns the manifest, POST runs a tool. Both must carry the signature of the service.
 * A call that comes again with the same ID gets the first response; the function does not run again.
 */

const { createHash } = require("node:crypto");
const { toolsSecret } = require("./derivation.cjs");
const { VerificationError } = require("./errors.cjs");
const { FileStore, MemoryStore } = require("./stores.cjs");
const { DEFAULT_TOLERANCE, SIGNATURE_HEADER, verifySignature } = require("./verification.cjs");

const RISKS = ["low", "medium", "reviewed", "high"];
const MAX_TOOLS = 64;
const MAX_DESCRIPTION_CHARACTERS = 2_000;
const MAX_BODY_BYTES = 1_000_000; // a call is far smaller
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const WAIT_MS = 10_000; // for a call that is running already; the service waits 15 s
const PAUSE_MS = 50;

/**
 * The tool does not do it. The message is for the agent's model and the team; say what would help.
 *
 * Throw it before you change anything.
 */
class Refused extends Error {
  constructor(message) {
    super(message);
    this.name = "Refused";
  }
}

class BadCall extends Error {}

/** Tools behind one URL. index.d.cts describes the options. */
class Toolbox {
  #secrets;
  #store;
  #tolerance;
  #tools = new Map();

  constructor({ key, store = new MemoryStore(), tolerance = DEFAULT_TOLERANCE }) {
    this.#secrets = [key].flat().map(toolsSecret);
    this.#store = store;
    this.#tolerance = tolerance;
    // So that they can be passed as functions.
    this.node = this.node.bind(this);
    this.lambda = this.lambda.bind(this);
  }

  /** Declare a tool. Throws a TypeError or RangeError for what cannot be one. */
  add({ name, title, description, risk, requiresIdentity = false, input, output, run }) {
    if (typeof name !== "string" || !NAME.test(name) || this.#tools.has(name) || this.#tools.size === MAX_TOOLS) {
      throw new RangeError(`${name} is no name for a tool, is taken, or is one more than ${MAX_TOOLS} tools.`);
    }
    if (!RISKS.includes(risk)) throw new RangeError(`${name}: the risk is one of ${RISKS.join(", ")}.`);
    if (typeof description !== "string" || description.trim() === "" || description.length > MAX_DESCRIPTION_CHARACTERS) {
      throw new TypeError(`${name}: the model needs a description of up to ${MAX_DESCRIPTION_CHARACTERS} characters.`);
    }
    if (input?.type !== "object") throw new TypeError(`${name}: \`input\` is a JSON Schema whose type is "object".`);
    if (typeof run !== "function") throw new TypeError(`${name}: \`run\` is the function that does the work.`);
    const declared = {
      name,
      title: title ?? inWords(name),
      description,
      inputSchema: input,
      ...(output === undefined ? {} : { outputSchema: output }),
      risk,
      requiresIdentity,
    };
    this.#tools.set(name, { declared, run });
    return this;
  }

  /** What a GET is answered with. */
  manifest() {
    return { version: 1, tools: [...this.#tools.values()].map((tool) => tool.declared) };
  }

  /** The response to a request: its method, its svc-signature header and its body as received. */
  async respond(method, signature, body) {
    if (method !== "GET" && method !== "POST") {
      return json(405, { error: "Use GET for the manifest and POST for a call." }, { allow: "GET, POST" });
    }
    const payload = method === "POST" ? body : "";
    try {
      verifySignature(payload, signature, this.#secrets, { tolerance: this.#tolerance });
    } catch (problem) {
      if (!(problem instanceof VerificationError)) throw problem;
      return json(400, { error: problem.message });
    }
    return method === "GET" ? json(200, this.manifest()) : this.#called(Buffer.from(body));
  }

  async #called(body) {
    let call;
    try {
      call = read(body);
    } catch (problem) {
      if (!(problem instanceof BadCall)) throw problem;
      return json(400, { error: problem.message });
    }
    const tool = this.#tools.get(call.tool);
    if (tool === undefined) {
      return json(404, { error: "This server has no such tool. Sync the tool endpoint." });
    }
    const fingerprint = createHash("sha256").update(body).digest("hex");
    const kept = await this.#store.claim(call.id, fingerprint);
    if (kept !== null) return this.#repeated(call.id, fingerprint, kept);
    const { status, content } = await run(tool, call);
    const text = JSON.stringify(content);
    await this.#store.finish(call.id, fingerprint, status, text);
    return asText(status, text);
  }

  /** The first response to a call that came before; waits a moment for one that is running. */
  async #repeated(id, fingerprint, first) {
    if (first.fingerprint !== fingerprint) return json(409, { error: "Another call had this ID." });
    let kept = first;
    for (let waited = 0; kept.status === null && waited < WAIT_MS; waited += PAUSE_MS) {
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      kept = (await this.#store.claim(id, fingerprint)) ?? kept;
    }
    // To the service a 504 says that nobody knows, and so it does not repeat the call.
    if (kept.status === null) return json(504, { error: "An earlier request with this ID has not ended." });
    return asText(kept.status, kept.body);
  }

  /** The listener of a server of node:http, and the handler of a route of Express. */
  async node(request, response) {
    try {
      const body = await bodyOf(request);
      const answer =
        body === null
          ? asText(413, "", { connection: "close" })
          : await this.respond(request.method, request.headers[SIGNATURE_HEADER], body);
      response.writeHead(answer.status, answer.headers);
      response.end(answer.body);
    } catch (problem) {
      console.error(problem);
      if (response.headersSent) response.destroy();
      else response.writeHead(500, { "content-length": "0" }).end();
    }
  }

  /** The handler of a Lambda function URL, or of an HTTP API with payload format 2.0. */
  async lambda(event) {
    const body = Buffer.from(event.body ?? "", event.isBase64Encoded ? "base64" : "utf8");
    const headers = Object.fromEntries(
      Object.entries(event.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
    );
    const answer = await this.respond(event.requestContext.http.method, headers[SIGNATURE_HEADER], body);
    return { statusCode: answer.status, headers: answer.headers, body: answer.body };
  }
}

/** Run a tool's function once. */
async function run(tool, call) {
  if (tool.declared.requiresIdentity && !call.context.visitor) {
    return { status: 200, content: { ok: false, error: "The visitor is not known." } };
  }
  try {
    const result = (await tool.run(call.input, { ...call.context, callId: call.id })) ?? null;
    JSON.stringify(result);
    return { status: 200, content: result };
  } catch (problem) {
    if (problem instanceof Refused) return { status: 200, content: { ok: false, error: problem.message } };
    console.error(`The tool ${tool.declared.name} failed.`, problem);
    if (tool.declared.risk === "low") return { status: 500, content: { error: "The tool failed." } };
    // It may have changed something. To the service a 504 says that nobody knows.
    return { status: 504, content: { error: "The tool failed. It may have done a part of its work." } };
  }
}

function read(body) {
  let call;
  try {
    call = JSON.parse(body.toString("utf8"));
  } catch {
    throw new BadCall("The body is not JSON.");
  }
  const isCall =
    isObject(call) && typeof call.id === "string" && typeof call.tool === "string" && isObject(call.context);
  if (!isCall || !isObject(call.input)) throw new BadCall("This is not a call of a tool.");
  return call;
}

/** The body as received; null if it is too large. */
async function bodyOf(request) {
  if (Buffer.isBuffer(request.body)) return request.body; // express.raw() has read it
  if (request.readableEnded && request.body !== undefined) {
    throw new TypeError("The body was parsed before. Mount the toolbox before express.json(), or use express.raw().");
  }
  const parts = [];
  let size = 0;
  for await (const part of request) {
    size += part.length;
    if (size > MAX_BODY_BYTES) return null;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function inWords(name) {
  const words = name.replace(/[_-]/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function json(status, content, headers = {}) {
  return asText(status, JSON.stringify(content), headers);
}

function asText(status, body, headers = {}) {
  const size = String(Buffer.byteLength(body));
  return { status, headers: { "content-type": "application/json", "content-length": size, ...headers }, body };
}

module.exports = { FileStore, MemoryStore, Refused, Toolbox };
