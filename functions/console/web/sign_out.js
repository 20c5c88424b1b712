// Signing out. Each tab has a token of its own: who signs out in one has signed out in all.
import { giveUp, tabs } from "./api.js";
import { sendAll } from "./outbox.js";
import { base, meta } from "./router.js";
import { forgetAll } from "./store.js";

const sent = (path, fields) =>
  fetch(`${base}/v1/oauth/${path}`, { method: "POST", body: new URLSearchParams(fields) });

// Ends this tab's token.
export const revoke = async () => {
  const token = giveUp();
  if (token) await sent("revoke", { client_id: meta("client"), token });
};

// Sends replies that wait, ends the token and the browser's session with the sign-in pages, and forgets what was typed here.
export const signOut = async () => {
  await sendAll();
  await revoke();
  await sent("sign-out", { then: "console" });
  forgetAll();
  tabs.postMessage("signed out");
};
