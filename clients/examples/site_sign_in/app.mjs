// An app whose users sign in to the Helpdesk help site with the account that they have here, with Node alone.
//
//     npm install ./clients/javascript
//     HELPDESK_KEY=svc_key_… HELP_SITE=https://support.example.com/site/acme PORT=8000 node app.mjs
//
// Save its route as the help site's sign-in: PATCH /v1/site/sign-in with
// {"method": "app", "appUrl": "https://your-app.example.com/help-sign-in"}.

import { randomUUID } from "node:crypto";
import { createServer } from "node:http";

import { signInAddress } from "helpdesk-webhooks/site";

const { HELPDESK_KEY: KEY, HELP_SITE: SITE } = process.env;

// Your database. The keys are your own ids of your users.
const USERS = new Map([["42", { name: "Ada Lovelace", email: "ada@example.com" }]]);
// Your sessions, by a cookie.
const SESSIONS = new Map();

/** The route to which the help site leads a visitor, with `redirect` and `state`. */
function helpSignIn(query, session) {
  const user = USERS.get(session.userId);
  if (user === undefined) {
    // Your app's own sign-in, which comes back here with the same query.
    session.then = `/help-sign-in?${query}`;
    return [303, { location: "/sign-in" }];
  }
  const { name, email } = user;
  const who = { id: session.userId, name, email, emailVerified: true };
  try {
    const location = signInAddress(KEY, SITE, query.get("redirect"), query.get("state"), who);
    return [303, { location, "cache-control": "no-store" }];
  } catch (problem) {
    if (!(problem instanceof RangeError)) throw problem;
    return [400, {}, "This link is not from the help site."];
  }
}

/** Your app's own sign-in. This one lets everybody in as its only user. */
function signIn(method, session) {
  if (method !== "POST") {
    const page = '<!doctype html><title>App</title><form method="post"><button>Sign in as Ada</button></form>';
    return [200, { "content-type": "text/html; charset=utf-8" }, page];
  }
  session.userId = "42";
  return [303, { location: session.then ?? "/help-sign-in" }];
}

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, "http://app");
  const [, known] = /(?:^|; )session=([0-9a-f-]+)/.exec(request.headers.cookie ?? "") ?? [];
  const id = SESSIONS.has(known) ? known : randomUUID();
  if (id !== known) SESSIONS.set(id, {});
  const routes = {
    "/help-sign-in": () => helpSignIn(searchParams, SESSIONS.get(id)),
    "/sign-in": () => signIn(request.method, SESSIONS.get(id)),
  };
  const [status, headers, body] = Object.hasOwn(routes, pathname) ? routes[pathname]() : [404, {}];
  response.writeHead(status, { ...headers, "set-cookie": `session=${id}; HttpOnly; SameSite=Lax; Path=/` });
  response.end(body);
});
server.listen(Number(process.env.PORT ?? 8000), "127.0.0.1", () => {
  console.log(`The app is at http://127.0.0.1:${server.address().port}/`);
});
