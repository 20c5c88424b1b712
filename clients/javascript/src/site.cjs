"use strict";

/**
 * Sign your users in to your Helpdesk help site, and to the chat widget on your pages (`widgetToken`).
 *
 * The help site leads a visitor to the sign-in route of your app, with `redirect` and `state` in its query. When your app
 * knows who they are, it leads them back to the address that `signInAddress` returns:
 *
 *     import { signInAddress } from "helpdesk-webhooks/site";
 *
 *     app.get("/help-sign-in", requireLogin, (request, response) => {
 *       const { redirect, state } = request.query;
 *       const { id, name, email } = request.user;
 *       response.redirect(signInAddress(KEY, SITE, redirect, state, { id, name, email }));
 *     });
 *
 * `SITE` is your help site's address, `https://…/site/<slug>`. The check of `redirect` against it is what keeps your
 * users' tokens from other sites, so `signInAddress` insists on it.
 */

const { createHmac, randomBytes } = require("node:crypto");

const { siteSecret } = require("./derivation.cjs");

/** How long a token lives, in seconds. */
const TOKEN_SECONDS = 60;

const KEY = /^svc_key_([^_]+)_./;
const WIDGET_STATE = "widget";
const MAX_ID_CHARACTERS = 200;
const MAX_STATE_CHARACTERS = 1024;

/**
 * The address that signs a user in to the help site: `redirect`, with a token behind its `#`.
 *
 * `key` is a secret key (`svc_key_…`), `site` the address of your help site. `redirect` and `state` are what your
 * sign-in route got. The address is for this user's browser alone, for 60 seconds.
 *
 * Throws a RangeError for a `redirect` that is not of your help site, and for what cannot be a key, a state or a user.
 */
function signInAddress(key, site, redirect, state, user) {
  requireOfSite(redirect, site);
  return `${redirect}#token=${signInToken(key, state, user)}`;
}

/**
 * The token of `signInAddress`, to send in the field `token` of a form that is posted to `redirect`.
 *
 * Check first that `redirect` is of your help site. `now` (seconds) and `tokenId` in `options` are for tests.
 *
 * Throws a RangeError for what cannot be a key, a state or a user.
 */
function signInToken(key, state, user, options = {}) {
  const secret = siteSecret(key);
  if (typeof state !== "string" || state === "" || [...state].length > MAX_STATE_CHARACTERS) {
    throw new RangeError("Pass the `state` that your sign-in route got, as it is.");
  }
  const { id, name, email, emailVerified = false, picture } = user;
  if (typeof id !== "string" || id === "" || [...id].length > MAX_ID_CHARACTERS) {
    throw new RangeError(`The user's id must be text of 1 to ${MAX_ID_CHARACTERS} characters.`);
  }
  const issued = Math.floor(options.now ?? Date.now() / 1000);
  const claims = {
    aud: organization(key),
    sub: id,
    iat: issued,
    exp: issued + TOKEN_SECONDS,
    jti: options.tokenId ?? randomBytes(24).toString("base64url"),
    state,
  };
  for (const [claim, value] of Object.entries({ name, email, picture })) {
    if (value !== undefined && value !== null) claims[claim] = value;
  }
  if (claims.email !== undefined) claims.email_verified = emailVerified;
  const signed = `${encoded({ alg: "HS256", typ: "JWT" })}.${encoded(claims)}`;
  return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`;
}

/**
 * The token with which your page signs its user in to the chat widget: `Helpdesk.identify(token)`.
 *
 * Make one for each page that you serve to a signed-in user. It lives for 60 seconds and works once. `now` (seconds) and
 * `tokenId` in `options` are for tests.
 *
 * Throws a RangeError for what cannot be a key or a user.
 */
function widgetToken(key, user, options = {}) {
  return signInToken(key, WIDGET_STATE, user, options);
}

/** The organization that a key names. */
function organization(key) {
  const found = KEY.exec(key);
  if (found === null) {
    throw new RangeError("Sign-ins need a secret key of the present scheme: svc_key_<organization>_<random>.");
  }
  return `org_${found[1]}`;
}

function requireOfSite(redirect, site) {
  let root;
  try {
    root = new URL(site);
  } catch {
    throw new RangeError("`site` must be the address of your help site, https://…/site/<slug>.");
  }
  const wanted = `${root.origin}${root.pathname.replace(/\/+$/, "")}/sign-in/return`;
  // Compared as text: what is spelled in another way is not what the help site sent.
  if (redirect !== wanted) {
    throw new RangeError("`redirect` is not an address of your help site. Do not send anybody there.");
  }
}

function encoded(value) {
  return Buffer.from(JSON.stringify(value), "utf8").toString("base64url");
}

module.exports = { TOKEN_SECONDS, signInAddress, signInToken, widgetToken };
