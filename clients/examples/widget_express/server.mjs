// The server of a chat widget with Express 5: the page, and the five routes that its script calls.
//
//     npm install express
//     HELPDESK_URL=https://support.example.com HELPDESK_KEY=svc_key_… PORT=3000 node server.mjs
//
// The secret key stays on this server. A visitor is a random token in a cookie that scripts cannot read. Where your
// visitors sign in, keep the token with their account instead, and send their name and e-mail address from there.

import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";

import express from "express";

const { HELPDESK_URL, HELPDESK_KEY, PORT = "3000" } = process.env;
const PAGE = fileURLToPath(new URL("../widget_page", import.meta.url));
const COOKIE = "__Host-helpdesk"; // a browser takes it over https only (and from this machine), and from no other host
const SETTINGS_FOR = 300_000; // ms
const YEAR = 31_536_000_000; // ms
const UNAVAILABLE = { error: { code: "unavailable", message: "The chat is not available at the moment. Try again later." } };

/** Call Helpdesk, and return its status, body and Retry-After. What only concerns this server stays here. */
async function call(method, path, { query, headers, body } = {}) {
  try {
    const answer = await fetch(`${HELPDESK_URL}/v1/${path}?${new URLSearchParams(query)}`, {
      method,
      headers: { authorization: `Bearer ${HELPDESK_KEY}`, "content-type": "application/json", ...headers },
      body,
      signal: AbortSignal.timeout(30_000),
    });
    const text = await answer.text();
    if (answer.status < 500 && ![401, 403].includes(answer.status)) {
      return { status: answer.status, body: JSON.parse(text), retryAfter: answer.headers.get("retry-after") };
    }
    console.error(`${method} ${path}: ${answer.status} ${text}`);
  } catch (problem) {
    console.error("no response from Helpdesk:", problem);
  }
  return { status: 502, body: UNAVAILABLE };
}

function pass(response, answer) {
  if (answer.retryAfter) response.set("retry-after", answer.retryAfter);
  response.status(answer.status).json(answer.body);
}

/** The visitor's token, if they have one. */
const session = (request) =>
  (request.headers.cookie ?? "").match(/(?:^|; )__Host-helpdesk=([\w-]{43})(?:;|$)/)?.[1];

const app = express();
app.disable("x-powered-by");
app.use((request, response, next) => {
  // The page loads only what is this server's own, so that no text in it can load or run anything.
  response.set({
    "content-security-policy":
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; " +
      "base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
    "x-content-type-options": "nosniff",
    ...(request.path.startsWith("/widget/") && { "cache-control": "no-store" }),
  });
  next();
});

const json = express.json({ limit: "64kb" });
const bytes = express.raw({ type: () => true, limit: 4_400_000, inflate: false }); // what Helpdesk takes in one request
const CACHED_LANGUAGES = 100; // a visitor chooses the header, so it must not fill the memory
const settings = new Map(); // by the languages of the visitor's browser

app.get("/widget/settings", async (request, response) => {
  const language = (request.get("accept-language") ?? "").slice(0, 200);
  if (!(settings.get(language)?.until > Date.now())) {
    const answer = await call("GET", "widget/settings", { query: { language } });
    if (answer.status !== 200) return pass(response, answer);
    if (settings.size >= CACHED_LANGUAGES) settings.clear();
    settings.set(language, { until: Date.now() + SETTINGS_FOR, answer });
  }
  pass(response, settings.get(language).answer);
});

app.get("/widget/thread", async (request, response) => {
  const token = session(request);
  if (!token) return response.json({ conversations: [] });
  const { after } = request.query;
  const query = { session: token, ...(after && { after }) };
  pass(response, await call("GET", "messages", { query }));
});

app.post("/widget/messages", json, async (request, response) => {
  const { body, attachments, email } = request.body ?? {};
  const token = session(request) ?? randomBytes(32).toString("base64url");
  const [url, key] = [request.get("referer"), request.get("idempotency-key")];
  const message = { session: token, body, attachments, ...(email && { user: { email } }), ...(url && { page: { url } }) };
  const headers = key ? { "idempotency-key": key } : {};
  const answer = await call("POST", "messages", { headers, body: JSON.stringify(message) });
  if (answer.status === 200) {
    response.cookie(COOKIE, token, { maxAge: YEAR, secure: true, httpOnly: true, sameSite: "strict", path: "/" });
  }
  pass(response, answer);
});

app.post("/widget/uploads", bytes, async (request, response) => {
  // JSON would announce a large file instead.
  const type = request.is("json") ? "text/plain" : (request.get("content-type") ?? "application/octet-stream");
  const sent = { query: { name: request.query.name ?? "file" }, headers: { "content-type": type }, body: request.body };
  pass(response, await call("POST", "uploads", sent));
});

app.post("/widget/rating", json, async (request, response) => {
  const { conversationId, stars, note } = request.body ?? {};
  const rating = { session: session(request) ?? "", conversationId, stars, note };
  pass(response, await call("POST", "messages/rating", { body: JSON.stringify(rating) }));
});

app.use(express.static(PAGE));

// For this machine only: put a server with TLS in front of it.
const server = app.listen(Number(PORT), "127.0.0.1", (problem) => {
  if (problem) throw problem;
  console.log(`The widget is at http://127.0.0.1:${server.address().port}/`);
});
