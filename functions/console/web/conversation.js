// One conversation: its thread, what can be done with it, and who it is with.
import { html, useEffect, useRef, useState } from "./vendor/htm-preact.js";
import { get, post, put } from "./api.js";
import { Composer } from "./composer.js";
import { copyLink } from "./copying.js";
import { CustomerPanel } from "./customer_panel.js";
import { Entries } from "./entries.js";
import { Icon } from "./icons.js";
import { useKeys } from "./keys.js";
import { onHint, viewing } from "./live.js";
import { useModule } from "./loading.js";
import { href, open } from "./router.js";
import { me, memberName, teamName } from "./session.js";
import { Badge, Button, Loading, Menu, Problem, say, Time, attempt } from "./ui.js";

const PAGE = 50;

const merged = (before, newer) => {
  const known = new Map(before.map((each) => [each.id, each]));
  for (const each of newer) known.set(each.id, each);
  return [...known.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
};

// The thread of a conversation, kept up to date. {conversation, entries, older, problem, reload, loadOlder}
const useThread = (id, known, onChange) => {
  const [state, setState] = useState({ conversation: known, entries: null, older: null, problem: null });
  const isHere = useRef(true);
  const reload = async () => {
    try {
      const answer = await get(`/conversations/${id}`, { limit: PAGE });
      if (!isHere.current) return;
      setState((before) => ({
        conversation: answer.conversation,
        entries: merged(before.entries ?? [], answer.messages),
        older: before.entries ? before.older : answer.nextCursor,
        problem: null,
      }));
      onChange(answer.conversation);
    } catch (problem) {
      if (isHere.current) setState((before) => ({ ...before, problem }));
    }
  };
  const loadOlder = async () => {
    const answer = await attempt(() => get(`/conversations/${id}`, { limit: PAGE, cursor: state.older }));
    if (answer) setState((before) => ({ ...before, entries: merged(answer.messages, before.entries), older: answer.nextCursor }));
  };
  useEffect(() => {
    isHere.current = true;
    reload();
    let timer = 0;
    const stop = onHint((hint) => {
      const isMine = hint.type === "missed" || (hint.conversationId === id && ["conversation", "message", "approval"].includes(hint.type));
      if (!isMine) return;
      clearTimeout(timer);
      timer = setTimeout(reload, 60);
    });
    return () => ((isHere.current = false), clearTimeout(timer), stop());
  }, [id]);
  return { ...state, reload, loadOlder };
};

// Who else looks at the conversation, and who types in it.
const usePresence = (id) => {
  const [people, setPeople] = useState([]);
  const [writers, setWriters] = useState({});
  useEffect(() => {
    viewing(id);
    const timers = {};
    const stop = onHint((hint) => {
      if (hint.conversationId !== id) return;
      if (hint.type === "viewing") setPeople(hint.people.filter((each) => each.userId !== me.value.user.id));
      if (hint.type === "typing" && hint.userId && hint.userId !== me.value.user.id) {
        const { userId, name } = hint;
        setWriters((before) => ({ ...before, [userId]: name }));
        clearTimeout(timers[userId]);
        timers[userId] = setTimeout(() => setWriters(({ [userId]: _, ...others }) => others), 6_000);
      }
    });
    return () => (stop(), viewing(null), Object.values(timers).forEach(clearTimeout));
  }, [id]);
  return { people, writers: Object.values(writers) };
};

const others = (names) => (names.length > 2 ? `${names.slice(0, 2).join(", ")} and ${names.length - 2} more` : names.join(" and "));

const Presence = ({ people, writers }) => {
  const lookers = people.map((each) => each.name).filter((name) => !writers.includes(name));
  if (!writers.length && !lookers.length) return null;
  return html`
    <p class=${`presence ${writers.length ? "typing" : ""}`} role="status">
      ${writers.length > 0 && html`<b>${others(writers)} ${writers.length > 1 ? "are" : "is"} typing …</b>`}
      ${lookers.length > 0 && html`<span>${others(lookers)} ${lookers.length > 1 ? "are" : "is"} here, too</span>`}
    </p>
  `;
};

const state = (conversation) => {
  if (conversation.archivedAt) return ["plain", "Archived"];
  if (conversation.status === "resolved") return ["good", "Resolved"];
  if (conversation.snoozedUntil) return ["plain", html`Snoozed until <${Time} at=${conversation.snoozedUntil} />`];
  if (conversation.awaitingHuman) return ["warn", "Waiting for your team"];
  return conversation.handledBy === "agent" ? ["info", "The agent answers"] : ["plain", "Open"];
};

export const Conversation = ({ id, known, onChange, onNext }) => {
  const thread = useThread(id, known, onChange);
  const presence = usePresence(id);
  const [asked, setAsked] = useState(null);
  const Act = useModule(() => import("./actions.js"), asked)?.Act;
  const [mode, setMode] = useState("reply");
  const [showsPanel, setShowsPanel] = useState(false);
  const end = useRef();
  const writing = useRef();
  const { conversation, entries, problem, reload } = thread;
  const newest = entries?.at(-1)?.id;

  useEffect(() => {
    const scroller = end.current?.closest(".thread-body");
    if (!scroller || !newest) return;
    const isNear = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 400;
    if (isNear || scroller.dataset.id !== id) scroller.scrollTop = scroller.scrollHeight;
    scroller.dataset.id = id;
  }, [newest, id]);
  useEffect(() => {
    if (newest && conversation?.unread) put(`/conversations/${id}/read`, { messageId: newest }).then(() => onChange({ ...conversation, unread: false }), () => {});
  }, [newest, conversation?.unread]);

  const change = async (name, done) => {
    if ((await attempt(() => post(`/conversations/${id}/${name}`), done)) !== undefined) reload();
  };
  const isOpen = conversation?.status === "open";
  const resolve = async () => {
    if (!isOpen) return change("reopen", "Reopened.");
    await attempt(() => post(`/conversations/${id}/resolve`));
    say("Resolved.", { undo: () => change("reopen") });
    await reload();
    return onNext();
  };
  const handler = conversation?.handledBy === "agent" ? ["take-over", "Take over", "t"] : ["hand-back", "Hand back to the agent", "h"];
  const write = (kind) => {
    setMode(kind);
    writing.current?.focus();
  };
  useKeys([
    { key: "r", text: "Reply", run: () => write("reply") },
    { key: "n", text: "Write a note", run: () => write("note") },
    { key: "e", text: "Resolve or reopen", run: resolve },
    { key: "a", text: "Assign", run: () => setAsked("assign") },
    { key: "s", text: "Snooze", run: () => setAsked("snooze") },
    { key: "l", text: "Edit tags", run: () => setAsked("tags") },
    { key: handler[2], text: handler[1], run: () => change(handler[0], conversation.handledBy === "agent" ? "You took over. The agent no longer answers." : "The agent answers again.") },
    { key: "b", text: "File a signal", run: () => setAsked("signal") },
  ], [conversation, mode]);

  if (problem && !entries) {
    return html`<section class="thread"><${Problem} problem=${problem} retry=${problem.status === 404 ? () => open("/") : reload} /></section>`;
  }
  if (!conversation) return html`<section class="thread"><${Loading} lines=${8} /></section>`;
  const [tone, text] = state(conversation);
  const items = [
    { text: handler[1], icon: handler[0] === "take-over" ? "user" : "agent", hotkey: handler[2], run: () => change(handler[0]) },
    { text: "Assign …", icon: "customers", hotkey: "a", run: () => setAsked("assign") },
    conversation.snoozedUntil
      ? { text: "End the snooze", icon: "clock", run: () => attempt(() => post(`/conversations/${id}/snooze`, { until: null })).then(reload) }
      : { text: "Snooze …", icon: "clock", hotkey: "s", run: () => setAsked("snooze") },
    { text: "Tags …", icon: "tag", hotkey: "l", run: () => setAsked("tags") },
    "-",
    { text: "File a signal …", icon: "signals", hotkey: "b", run: () => setAsked("signal") },
    { text: "Merge into another …", icon: "merge", run: () => setAsked("merge") },
    copyLink(`/conversations/${id}`),
    "-",
    conversation.archivedAt
      ? { text: "Unarchive", icon: "archive", run: () => change("unarchive", "Unarchived.") }
      : { text: "Archive", icon: "archive", run: () => change("archive", "Archived.") },
  ];
  return html`
    <section class="thread" aria-label="Conversation">
      <header class="thread-head">
        <a class="button quiet alone back" href=${href("/")} aria-label="Back to the list"><${Icon} name="back" /></a>
        <div class="thread-title">
          <h2 class="clip">${conversation.subject || "No subject"}</h2>
          <p>
            <${Badge} tone=${tone}>${text}<//>
            <button type="button" class="as-link" onClick=${() => setAsked("assign")}>
              ${conversation.assignee ? memberName(conversation.assignee) : conversation.team ? teamName(conversation.team) : "Assign"}
            </button>
            ${(conversation.tags ?? []).map((tag) => html`<${Badge} key=${tag}>${tag}<//>`)}
          </p>
        </div>
        <div class="buttons">
          ${conversation.handledBy === "agent" && isOpen && html`<${Button} class="wide-only" onClick=${() => change("take-over", "You took over. The agent no longer answers.")} hotkey="t">Take over<//>`}
          ${!conversation.archivedAt && html`<${Button} kind=${isOpen ? "main" : "plain"} icon=${isOpen ? "check" : "reply"} hotkey="e" onClick=${resolve}>${isOpen ? "Resolve" : "Reopen"}<//>`}
          <${Button} icon="user" kind="quiet" class="panel-button" label="Customer" aria-expanded=${String(showsPanel)} onClick=${() => setShowsPanel(!showsPanel)} />
          <${Menu} label="More actions" items=${items} />
        </div>
      </header>
      <div class="thread-body" tabindex="0" aria-label="Messages">
        ${thread.older && html`<${Button} kind="quiet" class="older" onClick=${thread.loadOlder}>Show older messages<//>`}
        ${entries ? html`<ol class="entries">${Entries({ entries, customer: conversation.customer })}</ol>` : html`<${Loading} lines=${8} />`}
        <div ref=${end}></div>
      </div>
      <${Presence} ...${presence} />
      ${conversation.mergedInto
        ? html`<p class="closed">This conversation was merged. <a href=${href(`/conversations/${conversation.mergedInto}`)}>Open the other one</a>.</p>`
        : conversation.archivedAt
        ? html`<p class="closed">Archived conversations accept no messages. <button type="button" class="as-link" onClick=${() => change("unarchive")}>Unarchive it</button></p>`
        : html`<${Composer} key=${id} conversation=${conversation} mode=${mode} setMode=${setMode} input=${writing} onWritten=${reload} onNext=${onNext} writers=${presence.writers} />`}
      ${asked && Act && html`<${Act} name=${asked} conversation=${conversation} entries=${entries ?? []} onClose=${() => setAsked(null)} onDone=${reload} />`}
    </section>
    <${CustomerPanel} conversation=${conversation} isShown=${showsPanel} onClose=${() => setShowsPanel(false)} onChange=${reload} />
  `;
};
