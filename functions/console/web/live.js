// Live updates: one WebSocket says what changed, and the screens fetch it. Without a connection, they look every half minute.
import { post } from "./api.js";
import { cell } from "./store.js";

const PING_MS = 5 * 60_000;
const LOOK_MS = 30_000;
const MOST_MS = 60_000;

export const isLive = cell(false);

const listeners = new Set();
let socket = null;
let stopped = true;
let failures = 0;
let watched = null;

// Calls `react(hint)` for each hint, and with {type: "missed"} when something may have been missed.
export const onHint = (react) => {
  listeners.add(react);
  return () => listeners.delete(react);
};

const report = (hint) => {
  for (const react of [...listeners]) react(hint);
};

const send = (message) => socket?.readyState === WebSocket.OPEN && socket.send(JSON.stringify(message));

// Shows teammates which conversation the person looks at; null for none.
export const viewing = (conversationId) => {
  watched = conversationId;
  send({ type: "viewing", conversationId });
};

let typedAt = 0;

// Shows teammates and the visitor that the person types. At most once in three seconds.
export const typing = (conversationId) => {
  if (Date.now() - typedAt < 3_000) return;
  typedAt = Date.now();
  send({ type: "typing", conversationId });
};

const connect = async () => {
  if (stopped || socket) return;
  let given;
  try {
    given = await post("/live/tokens");
  } catch {
    return later();
  }
  if (stopped) return;
  const mine = new WebSocket(`${given.url}?token=${encodeURIComponent(given.token)}`);
  socket = mine;
  mine.onopen = () => {
    failures = 0;
    isLive.value = true;
    report({ type: "missed" });
    if (watched) viewing(watched);
  };
  mine.onmessage = (event) => {
    try {
      report(JSON.parse(event.data));
    } catch {
      // Not a hint.
    }
  };
  mine.onclose = () => {
    if (socket === mine) socket = null;
    isLive.value = false;
    later();
  };
};

const later = () => {
  failures += 1;
  if (!stopped) setTimeout(connect, Math.min(MOST_MS, 1_000 * 2 ** Math.min(failures, 6)) * (0.5 + Math.random()));
};

// Connects, and keeps connected until the returned function is called.
export const start = () => {
  stopped = false;
  connect();
  const ping = setInterval(() => send({ type: "ping" }), PING_MS);
  const look = setInterval(() => !isLive.value && !document.hidden && report({ type: "missed" }), LOOK_MS);
  const back = () => !document.hidden && (socket ? null : connect(), report({ type: "missed" }));
  document.addEventListener("visibilitychange", back);
  return () => {
    stopped = true;
    clearInterval(ping);
    clearInterval(look);
    document.removeEventListener("visibilitychange", back);
    socket?.close();
  };
};
