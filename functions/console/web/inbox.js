// The inbox: lists of conversations at the side, and the conversation that is open.
import { html, useEffect, useRef } from "./vendor/htm-preact.js";
import { get } from "./api.js";
import { Icon } from "./icons.js";
import { useKeys } from "./keys.js";
import { onHint } from "./live.js";
import { More, useModule, usePages } from "./loading.js";
import { href, open } from "./router.js";
import { me, memberName, teamName, teams } from "./session.js";
import { waiting } from "./shell.js";
import { cell, remember, remembered, useCell } from "./store.js";
import { Avatar, Badge, Empty, Loading, Menu, Time, useMinute } from "./ui.js";

const isOpen = (each) => each.status === "open" && !each.archivedAt;
const waits = (each) => isOpen(each) && (each.awaitingHuman || each.pendingApprovals > 0);
const since = (each) => each.waitingSince ?? each.lastMessageAt;

// name, query, whether a conversation belongs to it
const VIEWS = {
  waiting: ["Waiting", { awaitingHuman: true, sort: "waitingSince" }, waits],
  mine: ["Mine", { assignee: "me", status: "open" }, (each) => isOpen(each) && each.assignee === me.value.user.id],
  open: ["Open", { status: "open", snoozed: false }, (each) => isOpen(each) && !each.snoozedUntil],
  unassigned: ["Unassigned", { status: "open", assignee: "none" }, (each) => isOpen(each) && !each.assignee],
  snoozed: ["Snoozed", { snoozed: true }, (each) => isOpen(each) && Boolean(each.snoozedUntil)],
  resolved: ["Resolved", { status: "resolved" }, (each) => each.status === "resolved" && !each.archivedAt],
  archived: ["Archived", { archived: true }, (each) => Boolean(each.archivedAt)],
};
const SHOWN_FIRST = ["waiting", "mine", "open"];

const view = cell(remembered("view", "waiting"));
const searched = cell("");

const choose = (name) => {
  view.value = name;
  remember("view", name);
};

const described = (name) => {
  if (VIEWS[name]) return VIEWS[name];
  if (name.startsWith("team:")) {
    const id = name.slice("team:".length);
    return [teamName(id), { status: "open", team: id }, (each) => isOpen(each) && each.team === id];
  }
  return VIEWS.waiting;
};

const sorted = (items, name) =>
  [...items].sort((one, other) => (name === "waiting" ? since(one) - since(other) : other.lastMessageAt - one.lastMessageAt));

export default function Inbox({ path }) {
  const [id] = path;
  const name = useCell(view);
  const words = useCell(searched);
  const allTeams = useCell(teams);
  const [, query, belongs] = described(name);
  const pages = usePages("/conversations", "conversations", words ? { q: words } : query);
  const items = words ? pages.items : sorted(pages.items, name);
  const search = useRef();
  // Loaded after the list, before someone opens a conversation.
  const Conversation = useModule(() => import("./conversation.js"), id || pages.items.length)?.Conversation;

  const place = (changed) => pages.change((before) => {
    const others = before.filter((each) => each.id !== changed.id);
    const stays = words ? others.length < before.length : belongs(changed);
    if (!stays) return others;
    return words ? before.map((each) => (each.id === changed.id ? changed : each)) : [...others, changed];
  });
  const refresh = useRef();
  refresh.current = place;
  useEffect(() => {
    const planned = new Map();
    const look = (conversationId) => {
      planned.set(conversationId, setTimeout(async () => {
        planned.delete(conversationId);
        const answer = await get(`/conversations/${conversationId}`, { limit: 1 }).catch(() => null);
        if (answer) refresh.current(answer.conversation);
      }, 150));
    };
    const stop = onHint((hint) => {
      if (hint.type === "missed") reload.current();
      else if (["conversation", "message", "approval"].includes(hint.type) && !planned.has(hint.conversationId)) look(hint.conversationId);
    });
    return () => (stop(), planned.forEach(clearTimeout));
  }, []);
  const reload = useRef();
  reload.current = () => pages.items.length <= 50 && !pages.isLoading && pages.reload();
  useEffect(() => {
    if (name !== "waiting" || words || pages.isLoading || pages.problem) return;
    waiting.value = { ...waiting.value, conversations: pages.isDone ? pages.items.length : `${pages.items.length}+` };
  }, [pages.items, pages.isLoading, name, words]);

  const at = items.findIndex((each) => each.id === id);
  const step = (by) => {
    const next = items[at < 0 ? 0 : at + by];
    if (!next) return;
    open(`/conversations/${next.id}`);
    document.getElementById(`row-${next.id}`)?.scrollIntoView({ block: "nearest" });
  };
  useKeys([
    { key: "j", text: "Next conversation", run: () => step(1) },
    { key: "k", text: "Previous conversation", run: () => step(-1) },
    { key: "/", text: "Search conversations", run: () => search.current.focus() },
    { key: "u", text: "Back to the list", run: () => open("/") },
    ...Object.entries(VIEWS).slice(0, 7).map(([key, [text]], index) => ({ key: `${index + 1}`, text: `List “${text}”`, run: () => choose(key) })),
  ], [items, at]);

  const others = [
    ...Object.keys(VIEWS).filter((each) => !SHOWN_FIRST.includes(each)).map((each) => ({ text: VIEWS[each][0], run: () => choose(each) })),
    allTeams.length > 0 && "-",
    ...allTeams.map((each) => ({ text: each.name, icon: "customers", run: () => choose(`team:${each.id}`) })),
  ];
  const tab = (each) => html`
    <button key=${each} type="button" aria-pressed=${String(each === name && !words)} onClick=${() => (searched.value = "", choose(each))}>${described(each)[0]}</button>
  `;
  return html`
    <main class=${`inbox ${id ? "reading" : ""}`}>
      <section class="list" aria-label="Conversations">
        <h1 class="visually-hidden">Inbox</h1>
        <div class="list-head">
          <div class="views" role="group" aria-label="Lists">
            ${SHOWN_FIRST.map(tab)}${!SHOWN_FIRST.includes(name) && tab(name)}<${Menu} label="More lists" icon="down" items=${others} />
          </div>
          <form class="search" role="search" onSubmit=${(event) => (event.preventDefault(), (searched.value = search.current.value.trim()))}>
            <${Icon} name="search" /><input ref=${search} type="search" aria-label="Search conversations" placeholder="Search all conversations" defaultValue=${words}
              onInput=${(event) => event.currentTarget.value || (searched.value = "")}
              onKeyDown=${(event) => event.key === "Escape" && (event.currentTarget.value = "", (searched.value = ""), event.currentTarget.blur())} />
          </form>
        </div>
        <${List} key=${name + words} items=${items} pages=${pages} chosen=${id} name=${name} words=${words} />
      </section>
      ${id && !Conversation ? html`<section class="thread"><${Loading} lines=${8} /></section>` : id
        ? html`<${Conversation} key=${id} id=${id} onChange=${place} onNext=${() => step(at < items.length - 1 ? 1 : -1)} known=${items[at]} />`
        : html`<section class="thread-empty"><${Empty} icon="inbox" title=${items.length ? "Choose a conversation" : "All quiet"}>
            <p>Press <kbd>j</kbd> and <kbd>k</kbd> to walk the list, <kbd>?</kbd> for all shortcuts.</p><//></section>`}
    </main>
  `;
}

const NOTHING = {
  waiting: ["Nobody is waiting", "New conversations that need a person appear here."],
  mine: ["Nothing is assigned to you", "Press a in a conversation to assign it."],
  open: ["No open conversations", "When a customer writes, it appears here."],
  snoozed: ["Nothing is snoozed", "Press s in a conversation to hide it until later."],
};

const List = ({ items, pages, chosen, name, words }) => {
  if (pages.isDone && !items.length && !pages.problem) {
    const [title, hint] = words ? ["Nothing found", "Search looks for conversations that have all these words."] : (NOTHING[name] ?? ["Nothing here", ""]);
    return html`<div class="list-body"><${Empty} icon=${words ? "search" : "check"} title=${title}><p>${hint}</p><//></div>`;
  }
  return html`
    <ul class="list-body">
      ${items.map((each) => html`<${Row} key=${each.id} conversation=${each} isChosen=${each.id === chosen} showsWait=${name === "waiting" && !words} />`)}
      <li><${More} pages=${pages} lines=${6} /></li>
    </ul>
  `;
};

const CHANNELS = { email: ["mail", "by e-mail"], site: ["knowledge", "on the help site"], discord: ["bolt", "in Discord"] };

const Row = ({ conversation: each, isChosen, showsWait }) => {
  const now = useMinute();
  const who = each.customer.name ?? each.customer.email ?? "Visitor";
  const channel = CHANNELS[each.channel];
  const isLate = each.overdue || (each.dueAt && each.dueAt < now);
  return html`
    <li id=${`row-${each.id}`} class="item">
      <a href=${href(`/conversations/${each.id}`)} aria-current=${isChosen ? "true" : undefined} class=${each.unread ? "unread" : ""}>
        <${Avatar} name=${who} size=${32} />
        <span class="item-who"><b class="clip">${who}</b>${each.unread && html`<span class="visually-hidden">, unread</span>`}</span>
        <span class=${`item-when ${isLate ? "late" : ""}`} title=${isLate ? "Past its target" : undefined}>
          <${Time} at=${showsWait ? since(each) : each.lastMessageAt} />
        </span>
        <span class="item-subject clip">${each.subject || "No subject"}</span>
        <span class="item-marks">
          ${channel && html`<span title=${`Began ${channel[1]}`}><${Icon} name=${channel[0]} size=${14} /></span>`}
          ${each.pendingApprovals > 0 && html`<${Badge} tone="warn">approval<//>`}
          ${each.awaitingHuman && !showsWait && html`<${Badge} tone="good">waiting<//>`}
          ${each.snoozedUntil && html`<${Badge}>until <${Time} at=${each.snoozedUntil} /><//>`}
          ${(each.tags ?? []).slice(0, 3).map((tag) => html`<${Badge} key=${tag}>${tag}<//>`)}
          ${each.team && html`<${Badge} tone="info">${teamName(each.team)}<//>`}
          ${each.assignee && html`<span class="item-assignee" title=${`Assigned to ${memberName(each.assignee)}`}><${Avatar} name=${each.assignee === me.value.user.id ? me.value.user.name : memberName(each.assignee)} size=${18} /></span>`}
        </span>
      </a>
    </li>
  `;
};
