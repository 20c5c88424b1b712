// A chat widget without a framework. It calls the server that it comes from, which has the secret key and the visitor's
// session, and shows every text as text: see `bodyOf`.

import { link, rendered } from "./markdown.js";

const ACTIVE = 120_000; // ms after the visitor wrote in which the widget expects an answer
const SOON = 2_000; // ms between two requests meanwhile
const IDLE = 15_000; // ms between two requests after that
const $ = (id) => document.getElementById(id);

const messages = new Map(); // by id, so that each is shown once
let newest = null; // the newest conversation
let after = null; // the id of the newest message
let settings = {};
let activeUntil = 0;
let rated = null; // the id of the conversation that was rated
let wake = () => {};

class Refused extends Error {}

// The sentence for each error that a visitor can do something about. All others say that the chat is not available.
const REFUSALS = {
  empty_message: "refusalEmpty",
  message_too_long: "refusalLength",
  too_many_attachments: "refusalFiles",
  attachment_wrong_type: "refusalFileType",
  attachment_missing: "refusalFileGone",
  empty_file: "refusalFileSize",
  file_too_big: "refusalFileSize",
  rate_limited: "refusalBusy",
  not_resolved: "refusalRating",
  rating_settled: "refusalRating",
  conversation_archived: "refusalRating",
};

/** Return the settings' sentence of a name; before the settings are there, the one that every page begins with. */
const text = (name) => settings.texts?.[name] ?? "The chat is not available at the moment. Please try again later.";

/** Call the server. `Refused` has a message for the visitor and how long to wait, in ms. */
async function call(path, options) {
  const response = await fetch(path, options);
  const body = await response.json().catch(() => ({}));
  if (response.ok) return body;
  const problem = new Refused(text(REFUSALS[body.error?.code] ?? "unavailable"));
  problem.wait = Number(response.headers.get("retry-after") ?? 0) * 1000;
  throw problem;
}

const post = (path, body, key) =>
  call(path, {
    method: "POST",
    headers: { "content-type": "application/json", ...(key && { "idempotency-key": key }) },
    body: JSON.stringify(body),
  });

/** Return what a message says. Only the agent writes Markdown; visitors and teammates write plain text. */
function bodyOf(message) {
  const node = document.createElement("div");
  if (message.agent?.kind === "ai") {
    node.className = "markdown";
    node.append(rendered(message.body));
  } else {
    node.className = "text";
    node.textContent = message.body; // never innerHTML
  }
  return node;
}

function entry(message) {
  const author = document.createElement("span");
  author.className = "author";
  author.textContent = message.agent?.name ?? text("widgetAuthor");
  const node = document.createElement("li");
  node.append(author, bodyOf(message));
  for (const file of message.attachments) node.append(link(file.name, file.url), " ");
  return node;
}

/** Take in a response of the thread, and show it. Ids sort by time. */
function show({ conversations }) {
  const news = conversations.flatMap((each) => each.messages).filter((message) => !messages.has(message.id));
  for (const message of news) messages.set(message.id, message);
  if (news.length > 0) {
    const sorted = [...messages.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
    after = sorted.at(-1).id;
    askForEmail(false);
    $("thread").replaceChildren(...sorted.map(entry));
    $("thread").lastChild.scrollIntoView({ block: "nearest" });
    const reply = news.findLast((message) => message.sender === "agent");
    if (reply && settings.messagePreview && !$("chat").open) $("preview").textContent = reply.body.slice(0, 80);
  }
  newest = conversations.reduce((one, other) => (one && one.startedAt > other.startedAt ? one : other), null);
  $("waiting").hidden = !newest?.awaitingHuman;
  if (newest?.status === "open") rated = null;
  $("rating").hidden = newest?.status !== "resolved" || rated === newest.id;
  return news.length > 0;
}

const pause = (ms) => new Promise((resolve) => { wake = resolve; setTimeout(resolve, ms); });

/** Show new messages for as long as the page is open. */
async function follow() {
  let failures = 0;
  let whole = true; // read the whole thread at first, and whenever the page becomes visible
  for (;;) {
    try {
      const found = show(await call(`/widget/thread${whole || after === null ? "" : `?after=${after}`}`));
      whole = after === null;
      failures = 0;
      if (!found) await pause(Date.now() < activeUntil ? SOON : IDLE);
    } catch (problem) {
      failures += 1;
      await pause(Math.max(problem.wait ?? 0, Math.min(60_000, 1000 * 2 ** failures)));
    }
    while (document.hidden) {
      await new Promise((resolve) => document.addEventListener("visibilitychange", resolve, { once: true }));
      whole = true;
    }
  }
}

/** Let a form send without leaving the page. Its button is disabled meanwhile. */
function onSubmit(form, send) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = form.querySelector("button");
    button.disabled = true;
    $("problem").textContent = "";
    try {
      await send(new FormData(form));
      form.reset();
    } catch (problem) {
      $("problem").textContent = problem instanceof Refused ? problem.message : text("unavailable");
    } finally {
      button.disabled = false;
    }
  });
}

let draft; // a message that is sent again after an error has the same key, so that it arrives once
const renew = () => { draft = { key: crypto.randomUUID(), attachments: null }; };
renew();
$("message").addEventListener("input", renew);

async function uploaded(file) {
  const headers = { "content-type": file.type || "application/octet-stream" };
  const path = `/widget/uploads?name=${encodeURIComponent(file.name)}`;
  const { id } = await call(path, { method: "POST", headers, body: file });
  return { id, name: file.name };
}

onSubmit($("message"), async (fields) => {
  const files = fields.getAll("files").filter((file) => file.size > 0);
  draft.attachments ??= await Promise.all(files.map(uploaded));
  const { key, attachments } = draft;
  await post("/widget/messages", { body: fields.get("body"), email: fields.get("email"), attachments }, key);
  renew();
  askForEmail(false);
  activeUntil = Date.now() + ACTIVE;
  wake();
});

onSubmit($("rating"), async (fields) => {
  const { id } = newest;
  await post("/widget/rating", { conversationId: id, stars: Number(fields.get("stars")), note: fields.get("note") });
  rated = id;
  $("rating").hidden = true;
});

$("chat").addEventListener("toggle", () => { if ($("chat").open) $("preview").textContent = ""; });

function askForEmail(asks) {
  $("email").hidden = !asks;
  $("email").control.required = asks;
}

try {
  settings = await call("/widget/settings");
  document.documentElement.lang = settings.language;
  for (const node of document.querySelectorAll("[data-text]")) {
    node.textContent = text(node.dataset.text).replace("{stars}", "5");
  }
  for (const node of document.querySelectorAll("[data-label]")) node.ariaLabel = text(node.dataset.label);
  $("agent").textContent = settings.agentName;
  $("branding").hidden = !settings.showBranding;
  askForEmail(settings.requireEmail);
  follow();
} catch (problem) {
  $("problem").textContent = problem instanceof Refused ? problem.message : text("unavailable");
}
