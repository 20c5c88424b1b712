// Back from the sign-in page.
import { exchanged, PENDING } from "./sign_in.js";

// Called on the address that the sign-in page leads back to: a token, and where the person was. Null for a stale link.
export const returned = async () => {
  const given = new URLSearchParams(location.search);
  const pending = JSON.parse(sessionStorage.getItem(PENDING) ?? "null");
  sessionStorage.removeItem(PENDING);
  if (!pending || pending.state !== given.get("state")) return null;
  const signedIn = given.get("code") ? await exchanged(given.get("code"), pending.verifier) : null;
  return { signedIn, at: pending.at, refused: given.get("error_description") };
};
