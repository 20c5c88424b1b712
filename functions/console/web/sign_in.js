// Signing in: OAuth with PKCE as the API's own client. The access token stays in this page's memory; a reload gets another
// one silently, from the browser's session with the sign-in pages.
import { base, meta } from "./router.js";

export const PENDING = "helpdesk:sign-in";

const base64url = (bytes) =>
  btoa(String.fromCharCode(...new Uint8Array(bytes))).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");

const random = () => base64url(crypto.getRandomValues(new Uint8Array(32)));

const redirect = () => new URL(`${base}/console/callback`, location.href).href;

const begun = async (extra) => {
  const verifier = random();
  const state = random();
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
  const query = new URLSearchParams({
    response_type: "code",
    client_id: meta("client"),
    redirect_uri: redirect(),
    scope: "api manage",
    state,
    code_challenge: base64url(digest),
    code_challenge_method: "S256",
    ...extra,
  });
  return { verifier, state, address: `${base}/v1/oauth/authorize?${query}` };
};

export const exchanged = async (code, verifier) => {
  const answer = await fetch(`${base}/v1/oauth/token`, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "authorization_code",
      client_id: meta("client"),
      redirect_uri: redirect(),
      code,
      code_verifier: verifier,
    }),
  });
  if (!answer.ok) return null;
  const tokens = await answer.json();
  return { token: tokens.access_token, until: Date.now() + (tokens.expires_in - 60) * 1000 };
};

// A token without a page, or null if the person has to sign in. `organization` switches to another one of theirs.
export const silently = async (organization) => {
  const { verifier, state, address } = await begun({ prompt: "none", ...(organization && { organization }) });
  const answer = await fetch(address, { credentials: "same-origin", cache: "no-store" });
  const given = new URL(answer.url).searchParams;
  if (given.get("state") !== state || !given.get("code")) return null;
  return exchanged(given.get("code"), verifier);
};

// Leaves for the sign-in page, which leads back to where the person is now.
export const leave = async () => {
  const { verifier, state, address } = await begun({});
  sessionStorage.setItem(PENDING, JSON.stringify({ verifier, state, at: location.href }));
  location.assign(address);
  return new Promise(() => {});
};
