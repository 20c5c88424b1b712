// Requests to the API. A refusal becomes a `Refused` with the API's code and message; no answer, an `Unreachable`.
// What may pass is tried again. A POST carries an Idempotency-Key, so that repeating it is safe.
import { base } from "./router.js";
import * as signIn from "./sign_in.js";
import { cell } from "./store.js";

const TRIES = 3;
const PATIENCE_MS = 8_000;

class Refused extends Error {
  constructor(status, problem, retryAfter) {
    super(problem?.message ?? "The server has a problem. Try again in a moment.");
    this.status = status;
    this.code = problem?.code ?? "internal_error";
    this.retryAfter = retryAfter;
  }
}

class Unreachable extends Error {
  constructor() {
    super("No connection to the server. Check your network; nothing you typed is lost.");
    this.code = "unreachable";
  }
}

export const isOffline = cell(!navigator.onLine);
addEventListener("offline", () => (isOffline.value = true));
addEventListener("online", () => (isOffline.value = false));

let access = null;
let renewing = null;
let page = null;

// Whose page this is, and in which organization: another tab may be in another one, so each new token names it.
export const stayIn = (person, organization) => (page = { person, organization });

// Uses a token from the sign-in pages.
export const use = (signedIn) => (access = signedIn);

// Another person may have signed in since, in another tab: then the page starts again as theirs.
const renewed = async () => {
  const next = await signIn.silently(page?.organization);
  if (!next || !page) return next;
  const answer = await fetch(`${base}/v1/me`, { headers: { authorization: `Bearer ${next.token}` }, cache: "no-store" });
  if (!answer.ok) throw new Unreachable();
  if ((await answer.json()).user.id === page.person) return next;
  location.reload();
  return new Promise(() => {});
};

const token = async () => {
  if (access && access.until > Date.now()) return access.token;
  renewing ??= renewed().finally(() => (renewing = null));
  access = await renewing;
  return access ? access.token : signIn.leave();
};

// Switches the browser to another organization of the person's. True if that worked.
export const switchTo = async (id) => Boolean(await signIn.silently(id));

// Takes this tab's token away; returns it.
export const giveUp = () => {
  const { token } = access ?? {};
  access = null;
  return token;
};

// Another tab has signed out.
export const tabs = new BroadcastChannel("helpdesk");
tabs.onmessage = async () => {
  await import("./sign_out.js").then((module) => module.revoke()).catch(() => {});
  location.reload();
};

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const send = async (method, path, body, headers) => {
  let answer;
  try {
    answer = await fetch(`${base}/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${await token()}`, ...headers },
      body,
      cache: "no-store",
      keepalive: body?.length < 16_000, // outlives the page
    });
  } catch {
    throw new Unreachable();
  }
  isOffline.value = false;
  if (answer.ok) return answer;
  const text = await answer.text();
  let parsed = null;
  try {
    parsed = JSON.parse(text);
  } catch {
    // A gateway's own page.
  }
  throw new Refused(answer.status, parsed?.error, Number(answer.headers.get("retry-after")) || 0);
};

const passes = (problem) =>
  problem instanceof Unreachable || problem.status >= 500 || (problem.status === 429 && problem.retryAfter * 1000 <= PATIENCE_MS);

// Sends a request, again where that can help, and returns the response.
export const repeated = async (method, path, body, headers) => {
  for (let tries = 1; ; tries += 1) {
    try {
      return await send(method, path, body, headers);
    } catch (problem) {
      if (problem.status === 401 && tries === 1) {
        access = null;
        continue;
      }
      if (problem instanceof Unreachable && !navigator.onLine) isOffline.value = true;
      if (tries >= TRIES || !passes(problem)) throw problem;
      await pause(problem.retryAfter * 1000 || 300 * 2 ** tries * (0.5 + Math.random()));
    }
  }
};

// Calls a route and returns its JSON. `path` is below /v1, such as "/conversations"; a body is sent as JSON.
export const call = async (method, path, body) => {
  const headers = {};
  if (body !== undefined) headers["content-type"] = "application/json";
  if (method === "POST") headers["idempotency-key"] = crypto.randomUUID();
  const answer = await repeated(method, path, body === undefined ? undefined : JSON.stringify(body), headers);
  return answer.json();
};

export const get = (path, query) => call("GET", query ? `${path}?${search(query)}` : path);
export const post = (path, body = {}) => call("POST", path, body);
export const put = (path, body) => call("PUT", path, body);
export const patch = (path, body) => call("PATCH", path, body);
export const remove = (path) => call("DELETE", path);

// All items of a list that comes in pages: `name` is the field of the answer that has them.
export const everyPage = async (path, name, limit = 200) => {
  const found = [];
  for (let cursor; cursor !== null; ) {
    const answer = await get(path, { limit, cursor });
    found.push(...answer[name]);
    cursor = answer.nextCursor;
  }
  return found;
};

// A query without what is null, undefined or "".
export const search = (query) =>
  new URLSearchParams(Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== ""));
