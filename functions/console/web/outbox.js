// Replies that wait their five seconds, in which they can be taken back. Closing the page sends them at once.
import { post } from "./api.js";
import { cell } from "./store.js";

const WAIT_MS = 5_000;

// The replies that wait, by conversation: {conversationId: {body, attachments, …}}
export const waiting = cell({});

const timers = new Map();

const take = (conversationId) => {
  const { [conversationId]: reply, ...rest } = waiting.value;
  clearTimeout(timers.get(conversationId));
  timers.delete(conversationId);
  waiting.value = rest;
  return reply;
};

const deliver = async (conversationId) => {
  const reply = take(conversationId);
  if (!reply) return;
  try {
    await post(`/conversations/${conversationId}/reply`, reply.body);
    await reply.sent();
  } catch (problem) {
    reply.failed(problem);
  }
};

// Sends a reply in five seconds. `sent` and `failed` are called with what became of it.
export const hold = (conversationId, reply) => {
  if (waiting.value[conversationId]) deliver(conversationId);
  waiting.value = { ...waiting.value, [conversationId]: reply };
  timers.set(conversationId, setTimeout(() => deliver(conversationId), WAIT_MS));
};

// Takes a reply back; returns it.
export const takeBack = take;

// Sends what waits at once.
export const sendAll = () => Promise.all(Object.keys(waiting.value).map(deliver));

addEventListener("pagehide", sendAll);
