// A receiver of Helpdesk's webhooks with Express 5. Copy this file and write your own `handle`.
//
//     npm install express ./clients/javascript
//     HELPDESK_KEY=svc_key_… PORT=3000 node receiver.mjs
//
// It verifies each delivery, stores the event, responds at once, and handles the event afterwards, once for each ID.
// An event whose handling fails is retried every minute. Stored events survive a crash. The inbox is a
// folder, for one process; where several share the work, use your database and INSERT … ON CONFLICT DO NOTHING.

import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync } from "node:fs";
import { link, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import express from "express";
import { SIGNATURE_HEADER, VerificationError, verify, webhookSecret } from "helpdesk-webhooks";

const SECRET = webhookSecret(process.env.HELPDESK_KEY);
const INBOX = process.env.INBOX ?? "inbox";
const TRY_AGAIN_AFTER = Number(process.env.TRY_AGAIN_AFTER ?? 60) * 1000; // milliseconds
const EVENT_ID = /^evt_[0-9a-f]{32}$/;

/** Your own code. It may take its time, and what it throws is logged and the event tried again. */
async function handle(event) {
  if (event.type === "message.created") {
    const { sender, body } = event.data.message;
    console.log(`handled ${event.id}: ${sender} wrote ${JSON.stringify(body)}`);
  } else {
    console.log(`handled ${event.id}: nothing to do for ${event.type}`);
  }
}

const app = express();

// The body as received, whatever its type: express.json() would have lost the bytes that were signed. A delivery is far
// smaller than a megabyte and never compressed; anything else returns 413 or 415.
const rawBody = express.raw({ type: () => true, limit: "1mb", inflate: false });

app.post("/webhooks", rawBody, async (request, response) => {
  let event;
  try {
    event = verify(request.body ?? "", request.get(SIGNATURE_HEADER), SECRET);
  } catch (problem) {
    if (!(problem instanceof VerificationError)) throw problem;
    console.warn(`refused: ${problem.message}`);
    response.status(400).type("text").send(problem.message); // Helpdesk sends again
    return;
  }
  await keep(event); // if this fails, the response is 500 and Helpdesk sends the event again
  response.sendStatus(204);
  await work(event.id);
});

app.use((problem, request, response, next) => {
  console.error(problem);
  if (response.headersSent) next(problem);
  else response.sendStatus(problem.status ?? 500);
});

const kept = (id) => join(INBOX, `${id}.json`);
const done = (id) => join(INBOX, `${id}.done`);

/** Write the event down, whole or not at all. One that is there already stays as it is: a delivery can come twice. */
async function keep(event) {
  if (!EVENT_ID.test(event.id)) throw new Error("The event's id is not one of Helpdesk's.");
  const draft = join(INBOX, `${randomUUID()}.draft`);
  await writeFile(draft, JSON.stringify(event), { flush: true });
  try {
    await link(draft, kept(event.id));
  } catch (problem) {
    if (problem.code !== "EEXIST") throw problem;
  } finally {
    await rm(draft, { force: true });
  }
}

const inWork = new Set();

/** Handle one event of the inbox, unless that is done or being done. Files older than a month can be deleted. */
async function work(id) {
  if (inWork.has(id)) return;
  inWork.add(id);
  try {
    if (existsSync(done(id))) return;
    await handle(JSON.parse(await readFile(kept(id), "utf8")));
    await writeFile(done(id), "", { flush: true });
  } catch (problem) {
    console.error(`failed, and tried again later: ${id}`, problem);
  } finally {
    inWork.delete(id);
  }
}

/** Handle what failed, and what a crash interrupted. */
async function workThroughInbox() {
  try {
    const names = new Set(await readdir(INBOX));
    for (const id of [...names].filter((name) => name.endsWith(".json")).map((name) => name.slice(0, -5))) {
      if (!names.has(`${id}.done`)) await work(id);
    }
  } catch (problem) {
    console.error("The inbox cannot be read.", problem);
  }
  setTimeout(workThroughInbox, TRY_AGAIN_AFTER);
}

mkdirSync(INBOX, { recursive: true });
// For this machine only: put a server with TLS in front of it.
const server = app.listen(Number(process.env.PORT ?? 3000), "127.0.0.1", (problem) => {
  if (problem) throw problem;
  console.log(`Waiting for webhooks at http://127.0.0.1:${server.address().port}/webhooks`);
  workThroughInbox();
});
