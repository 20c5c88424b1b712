// Looks for news in a conversation when a live connection says so. Without one it looks after 3 seconds at first, then
// ever less often, up to once a minute. It does not look while the page is hidden, not before a server that is busy
// says, and stops after an hour without news. Nothing that arrives is run: the page's own HTML is read again, and what
// it says newly is shown.
"use strict";
(() => {
  const FIRST = 3000, LAST = 60000, LIVE = 300000, GROWTH = 1.4, GIVES_UP = 3600000, MOST_FAILURES = 6;
  const shown = document.getElementById("conversation");
  const write = document.getElementById("write");
  if (write) write.hidden = false;
  if (!shown) return;
  const address = shown.dataset.address;
  const asks = { cache: "no-store", credentials: "same-origin" };
  let pause = FIRST, last = Date.now(), news = last, busyUntil = 0, timer = 0;
  let isLooking = false, isGone = false, failures = 0, isLive = false, isAsked = false;

  // The page in the chat widget is hidden while its panel is closed.
  const isHidden = () => document.hidden || "closed" in document.documentElement.dataset;
  const plan = () => {
    clearTimeout(timer);
    const now = Date.now();
    const isOver = isGone || now - news > GIVES_UP || failures >= MOST_FAILURES;
    if (isLooking || isOver || isHidden()) return;
    timer = setTimeout(look, Math.max(last + (isLive ? LIVE : pause), busyUntil) - now);
  };
  const look = async () => {
    isLooking = true;
    last = Date.now();
    try {
      const answer = await fetch(address + "/state", asks);
      isGone = answer.status === 404 || answer.status === 403;
      if (isGone) return;
      if (!answer.ok) throw answer;
      const { state } = await answer.json();
      if (state === shown.dataset.state || !(await update())) pause = Math.min(pause * GROWTH, LAST);
      else { news = last; pause = FIRST; }
      failures = 0;
    } catch (problem) {
      failures += 1;
      pause = LAST;
      const seconds = problem instanceof Response ? Number(problem.headers.get("retry-after")) : 0;
      if (seconds > 0) busyUntil = last + Math.min(seconds * 1000, GIVES_UP);
    } finally {
      isLooking = false;
      if (isAsked) lookNow();
      else plan();
    }
  };
  // Shows what is new. False if the rating waits because someone is at it: what they type is not taken from them.
  const update = async () => {
    const answer = await fetch(address, asks);
    if (!answer.ok) throw answer;
    return merge(new DOMParser().parseFromString(await answer.text(), "text/html"));
  };
  const merge = (page) => {
    const next = page.getElementById("conversation");
    if (!next) throw new Error("another page");
    const part = (name, within = shown) => within.querySelector(`:scope > [data-part="${name}"]`);
    const known = new Set([...part("thread").children].map((each) => each.dataset.message));
    for (const each of part("thread", next).children) {
      if (!known.has(each.dataset.message)) part("thread").append(document.importNode(each, true));
    }
    // The element stays, or a screen reader would not hear that what it says is new.
    show(part("standing"), part("standing", next));
    const label = page.querySelector("#write label"), rating = part("rating");
    if (label) write.querySelector("label").textContent = label.textContent;
    if (rating.contains(document.activeElement)) return false;
    show(rating, part("rating", next));
    shown.dataset.state = next.dataset.state;
    return true;
  };
  const show = (place, next) => {
    if (place.textContent === next.textContent) return;
    place.replaceChildren(...[...next.childNodes].map((each) => document.importNode(each, true)));
  };
  const lookNow = () => {
    isAsked = isLooking;
    news = Date.now();
    if (isLooking || isHidden()) return;
    clearTimeout(timer);
    look();
  };
  // A live connection says when there is news, or that a teammate types. It lasts two hours at most.
  const typing = document.getElementById("typing");
  let socket = null, retry = 2000, typingEnds = 0, silence = 0;
  const connect = async () => {
    if (!shown.dataset.live || socket || isGone || isHidden()) return;
    socket = { readyState: 0, send() {}, close() {} };
    try {
      const csrf = document.querySelector("input[name=csrf]").value;
      const answer = await fetch(shown.dataset.live, { ...asks, method: "POST", body: new URLSearchParams({ csrf }) });
      if (!answer.ok) throw answer;
      const { url, token } = await answer.json();
      socket = new WebSocket(`${url}?token=${encodeURIComponent(token)}`);
    } catch {
      return ended();
    }
    socket.onopen = () => {
      isLive = true;
      retry = 2000;
      lookNow();
    };
    socket.onmessage = ({ data }) => {
      const { type } = JSON.parse(data);
      clearTimeout(silence);
      if (type === "typing") {
        clearTimeout(typingEnds);
        typing.hidden = false;
        typingEnds = setTimeout(() => { typing.hidden = true; }, 5000);
      } else if (type !== "pong") {
        typing.hidden = true;
        document.dispatchEvent(new Event("helpdesk:hint"));
        lookNow();
      }
    };
    socket.onclose = ended;
  };
  const ended = () => {
    socket = null;
    isLive = false;
    clearTimeout(silence);
    setTimeout(connect, retry * (1 + Math.random()));
    retry = Math.min(retry * 2, LAST);
    plan();
  };
  const ping = () => {
    if (!isLive) return;
    socket.send('{"type":"ping"}');
    clearTimeout(silence);
    silence = setTimeout(() => socket && socket.close(), 10000);
  };
  setInterval(ping, 240000);
  // Who comes back looks soon, but not at each change of tabs.
  document.addEventListener("visibilitychange", () => {
    if (!isHidden()) {
      failures = 0;
      news = Date.now();
      pause = FIRST;
      connect();
      ping();
      if (isLive) return lookNow();
    }
    plan();
  });
  // A form of the chat widget that was sent is answered with the page as it is now.
  document.addEventListener("helpdesk:page", ({ detail }) => {
    merge(detail);
    news = Date.now();
    pause = FIRST;
    plan();
  });
  plan();
  connect();
})();
