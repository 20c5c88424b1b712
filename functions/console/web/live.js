// Live updates: one WebSocket says what changed, and the screens fetch it. Without a connection, they look every half minute.
import { post } from "./api.js";

const PING_MS = 4 * 60_000;
const PONG_MS = 10_000;
const FULL_MS = 60_000;
const LOOK_MS = 30_000;
const MOST_MS = 60_000;

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

let pong = 0;

// A socket can look open and be dead, as after a laptop's sleep: one that doesn't answer is closed.
const ping = () => {
  if (!socket) return;
  clearTimeout(pong);
  const asked = socket;
  pong = setTimeout(() => asked.close(), PONG_MS);
  send({ type: "ping" });
};

const isOpen = () => socket?.readyState === WebSocket.OPEN;

const send = (message) => isOpen() && socket.send(JSON.stringify(message));

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
  } catch (problem) {
    return later(problem.code === "too_many_connections" ? FULL_MS : 0);
  }
  if (stopped || socket) return;
  const mine = new WebSocket(`${given.url}?token=${encodeURIComponent(given.token)}`);
  socket = mine;
  mine.onopen = () => {
    failures = 0;
    report({ type: "missed" });
    if (watched) viewing(watched);
  };
  mine.onmessage = (event) => {
    clearTimeout(pong);
    const hint = JSON.parse(event.data);
    if (hint.type !== "pong") report(hint);
  };
  mine.onclose = () => {
    if (socket === mine) socket = null;
    later();
  };
};

const later = (least = 0) => {
  failures += 1;
  const wait = Math.max(least, Math.min(MOST_MS, 1_000 * 2 ** Math.min(failures, 6)));
  if (!stopped) setTimeout(connect, wait * (0.5 + Math.random()));
};

// Connects, and keeps connected until the returned function is called.
export const start = () => {
  stopped = false;
  connect();
  const pings = setInterval(ping, PING_MS);
  const look = setInterval(() => !isOpen() && !document.hidden && report({ type: "missed" }), LOOK_MS);
  const back = () => {
    if (document.hidden) return;
    if (socket) ping();
    else connect();
    report({ type: "missed" });
  };
  document.addEventListener("visibilitychange", back);
  return () => {
    stopped = true;
    clearInterval(pings);
    clearInterval(look);
    document.removeEventListener("visibilitychange", back);
    socket?.close();
  };
};
