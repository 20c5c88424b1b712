// The task board's cards: loaded, moved at once, and put back with a message when the server refuses.
import { useEffect, useRef, useState } from "./vendor/htm-preact.js";
import { get, patch, post } from "./api.js";
import { say } from "./ui.js";
import { named, useLook } from "./work.js";

export const COLUMNS = [
  ["requests", "Requests"], ["planned", "Planned"], ["in_progress", "In progress"], ["in_review", "In review"], ["done", "Done"],
];
const DONE_FIRST = 30;
const FRESH_MS = 4_000;
const MOST_PAGES = 20;

// A request of customers as a card: it has no key until it is adopted.
const asCard = (request) => ({ ...request, id: request.signalId, status: "requests", isRequest: true });
export const nameOf = (card) => (card.isRequest ? `“${card.title}”` : card.key);

const loadCards = async (query, done) => {
  const tasks = [];
  for (let cursor = null, page = 0; page < MOST_PAGES; page += 1) {
    const answer = await get("/tasks", { ...query, limit: 100, cursor });
    tasks.push(...answer.tasks);
    cursor = answer.nextCursor;
    const isEnough = !query.q && tasks.filter((each) => each.status === "done").length >= done;
    if (!cursor || isEnough) return { tasks, hasMore: Boolean(cursor) };
  }
  return { tasks, hasMore: true };
};

const loadRequests = async ({ q, assignee }) => {
  if (assignee) return [];
  const { requests } = await get("/tasks/requests");
  const words = (q ?? "").toLowerCase().split(/\s+/);
  return requests.filter((each) => words.every((word) => each.title.toLowerCase().includes(word))).map(asCard);
};

// Puts a card into a column before another card, or at its end. `done` is newest first.
const placed = (cards, card, status, before) => {
  const others = cards.filter((each) => each.id !== card.id);
  const moved = { ...card, status };
  const at = others.findIndex((each) => each.id === before);
  if (at < 0) return status === "done" ? [moved, ...others] : [...others, moved];
  return [...others.slice(0, at), moved, ...others.slice(at)];
};

// The body of PATCH /tasks/{id} for a place: next to the cards that are seen there. A search has another order than the column.
const placeIn = (cards, card, status, isSearch) => {
  const column = cards.filter((each) => each.status === status && !each.isRequest);
  const at = column.findIndex((each) => each.id === card.id);
  const body = card.status === status ? {} : { status };
  if (status === "done" || isSearch) return body;
  if (column[at + 1]) return { ...body, before: column[at + 1].id };
  return column[at - 1] ? { ...body, after: column[at - 1].id } : body;
};

const write = async (card, status, body) => {
  if (card.isRequest) {
    const { id } = await post("/tasks/adopt", { signalId: card.signalId });
    if (status !== "planned" || body.before || body.after) await patch(`/tasks/${id}`, { ...body, status });
    return;
  }
  const { task } = await get(`/tasks/${card.id}`);
  if (task.status !== card.status) {
    const problem = new Error(`Someone else moved ${card.key} to ${named(COLUMNS, task.status)} meanwhile. Move it again if you still want to.`);
    throw Object.assign(problem, { task });
  }
  if (Object.keys(body).length) await patch(`/tasks/${card.id}`, body);
};

// {cards, problem, hasMore, showMore, reload, move(card, status, before), fresh: IDs of cards that others moved, said}
export const useCards = (query) => {
  const asked = JSON.stringify(query);
  const [state, setState] = useState({ cards: null, hasMore: false, problem: null });
  const [fresh, setFresh] = useState(new Set());
  const [said, setSaid] = useState("");
  const done = useRef(DONE_FIRST);
  const known = useRef(null);
  const queue = useRef(Promise.resolve());
  const waiting = useRef(0);
  const run = useRef(0);
  const fading = useRef(0);

  const show = (cards, rest = {}) => {
    known.current = cards;
    setState((before) => ({ ...before, ...rest, cards }));
  };
  const compare = (cards) => {
    const before = new Map((known.current ?? []).map((each) => [each.id, each.status]));
    const moved = cards.filter((each) => before.has(each.id) && before.get(each.id) !== each.status);
    if (!moved.length) return;
    setFresh(new Set(moved.map((each) => each.id)));
    clearTimeout(fading.current);
    fading.current = setTimeout(() => setFresh(new Set()), FRESH_MS);
    setSaid(moved.map((each) => `Someone else moved ${nameOf(each)} to ${named(COLUMNS, each.status)}.`).join(" "));
  };
  const reload = async () => {
    const mine = (run.current += 1);
    try {
      const [answer, requests] = await Promise.all([loadCards(query, done.current), loadRequests(query)]);
      if (mine !== run.current || waiting.current) return;
      const cards = [...answer.tasks, ...requests];
      compare(cards);
      show(cards, { hasMore: answer.hasMore, problem: null });
    } catch (problem) {
      if (mine === run.current) setState((before) => ({ ...before, problem }));
    }
  };
  useEffect(() => {
    known.current = null;
    setState({ cards: null, hasMore: false, problem: null });
    reload();
    return () => (run.current += 1);
  }, [asked]);
  useLook(() => !waiting.current && reload());

  const move = (card, status, before = null) => {
    const former = known.current;
    const cards = placed(former, card, status, before);
    const body = placeIn(cards, card, status, Boolean(query.q));
    const column = cards.filter((each) => each.status === status);
    setSaid(`${nameOf(card)}: ${named(COLUMNS, status)}, ${column.findIndex((each) => each.id === card.id) + 1} of ${column.length}.`);
    waiting.current += 1;
    show(cards);
    queue.current = queue.current.then(() => write(card, status, body)).catch((problem) => {
      show(problem.task ? placed(former, problem.task, problem.task.status, null) : former);
      say(`${nameOf(card)} wasn't moved. ${problem.message}`, { tone: "bad", ms: 8_000 });
    }).then(() => {
      waiting.current -= 1;
      if (!waiting.current) reload();
    });
  };
  const showMore = () => ((done.current += 100), reload());
  return { ...state, fresh, said, move, reload, showMore };
};
