// Looks for news in a conversation: after 3 seconds at first, then ever less often, up to once a minute. It does not look
// while the page is hidden, and stops after an hour without news. Nothing that arrives is run: the page's own HTML is
// read again, and its list of messages replaces the one that is shown.
"use strict";
(() => {
  const FIRST = 3000, LAST = 60000, GROWTH = 1.4, GIVES_UP = 3600000;
  let shown = document.getElementById("conversation");
  const write = document.getElementById("write");
  if (write) write.hidden = false;
  if (!shown) return;
  const address = location.pathname.replace(/\/$/, "");
  let pause = FIRST, news = Date.now(), timer = 0, looking = false, failures = 0;

  const plan = () => {
    clearTimeout(timer);
    if (document.hidden || Date.now() - news > GIVES_UP || failures > 5) return;
    timer = setTimeout(look, pause);
    pause = Math.min(pause * GROWTH, LAST);
  };
  const look = async () => {
    if (looking) return;
    looking = true;
    try {
      const answer = await fetch(address + "/state", { cache: "no-store", credentials: "same-origin" });
      if (answer.status === 404 || answer.status === 403) { failures = 9; return; }
      if (!answer.ok) throw new Error(String(answer.status));
      const { state } = await answer.json();
      failures = 0;
      // What someone types in the rating is not taken from them.
      if (state !== shown.dataset.state && !shown.contains(document.activeElement)) await update();
    } catch {
      failures += 1;
      pause = LAST;
    } finally {
      looking = false;
      plan();
    }
  };
  const update = async () => {
    const answer = await fetch(address, { cache: "no-store", credentials: "same-origin" });
    if (!answer.ok) throw new Error(String(answer.status));
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const next = page.getElementById("conversation");
    if (!next) return;
    const known = new Set([...shown.querySelectorAll("[data-message]")].map((each) => each.dataset.message));
    const thread = shown.querySelector("#thread");
    for (const each of next.querySelectorAll("[data-message]")) {
      if (!known.has(each.dataset.message)) thread.append(document.importNode(each, true));
    }
    const standing = next.querySelector("#standing");
    shown.querySelector("#standing").replaceWith(document.importNode(standing, true));
    shown.dataset.state = next.dataset.state;
    news = Date.now();
    pause = FIRST;
  };
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) { clearTimeout(timer); return; }
    failures = 0;
    news = Date.now();
    pause = FIRST;
    look();
  });
  plan();
})();
