// A site with the Helpdesk chat widget that knows its signed-in users, with Node alone.
//
//     npm install ./clients/javascript
//     HELPDESK_KEY=svc_key_… HELP_SITE=https://support.example.com/site/acme PORT=8000 node app.mjs
//
// Allow its origin first: PATCH /v1/site with {"widgetOrigins": ["https://your-site.example.com"]}.

import { randomUUID } from "node:crypto";
import { createServer } from "node:http";

import { widgetToken } from "helpdesk-webhooks/site";

const { HELPDESK_KEY: KEY, HELP_SITE: SITE } = process.env;

// Your database. The keys are your own ids of your users.
const USERS = new Map([["42", { name: "Ada Lovelace", email: "ada@example.com" }]]);
// Your sessions, by a cookie.
const SESSIONS = new Map();

/** A page with the widget. A visitor who isn't signed in has no token, which signs the last one out. */
function home({ userId }) {
  const user = USERS.get(userId);
  const token = user ? widgetToken(KEY, { id: userId, ...user, emailVerified: true }) : null;
  return `<!doctype html>
<html lang="en">
<title>Fern Shop</title>
<h1>Fern Shop</h1>
<form method="post" action="/toggle"><button>${user ? "Sign out" : "Sign in as Ada"}</button></form>
<p><a href="#" id="ask">Ask us</a></p>
<script>
  (window.Helpdesk ||= []).push(["identify", ${JSON.stringify(token)}]);
  document.getElementById("ask").addEventListener("click", () => Helpdesk.push(["open"]));
</script>
<script src="${SITE}/widget.js" async></script>
</html>`;
}

const server = createServer((request, response) => {
  const [, known] = /(?:^|; )session=([0-9a-f-]+)/.exec(request.headers.cookie ?? "") ?? [];
  const id = SESSIONS.has(known) ? known : randomUUID();
  if (id !== known) SESSIONS.set(id, {});
  const session = SESSIONS.get(id);
  const headers = { "set-cookie": `session=${id}; HttpOnly; SameSite=Lax; Path=/` };
  if (request.method === "POST" && request.url === "/toggle") {
    // Your app's own sign-in and sign-out. This one lets everybody in as its only user.
    session.userId = session.userId ? undefined : "42";
    response.writeHead(303, { ...headers, location: "/" }).end();
  } else if (request.url === "/") {
    // A token lives for 60 seconds.
    const html = { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" };
    response.writeHead(200, { ...headers, ...html }).end(home(session));
  } else {
    response.writeHead(404, headers).end();
  }
});
server.listen(Number(process.env.PORT ?? 8000), "127.0.0.1", () => {
  console.log(`The site is at http://127.0.0.1:${server.address().port}/`);
});
