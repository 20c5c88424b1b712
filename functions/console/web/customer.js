// One customer: their record, the team's facts, their conversations, and what an admin can do with their data.
import { html, useEffect, useState } from "./vendor/htm-preact.js";
import { get, patch, post, remove } from "./api.js";
import { copy } from "./copying.js";
import { CustomerForm, changesOf } from "./customer_form.js";
import { CustomerMessage } from "./customer_message.js";
import { useKeys } from "./keys.js";
import { onHint } from "./live.js";
import { More, Shown, useLoaded, usePages } from "./loading.js";
import { href, open } from "./router.js";
import { save } from "./save.js";
import { can } from "./session.js";
import { attempt, Avatar, Badge, Button, date, Dialog, Empty, Field, Menu, Problem, say, Time, useWrite } from "./ui.js";

const FACTS = 20;
const EXPORTED = ["messages", "ratings", "suggestedQuestions", "approvals", "threads"];
const LISTED = ["facts", "reports", "posts", "votes", "comments"];

// Everything that is stored about a customer as one object. A conversation that spans pages is put together again.
const exported = async (id, onPage) => {
  const whole = { customer: null, ...Object.fromEntries(LISTED.map((name) => [name, []])) };
  const conversations = new Map();
  for (let cursor; cursor !== null; ) {
    const page = await get(`/customers/${id}/export`, { limit: 200, cursor });
    whole.customer ??= page.customer;
    for (const name of LISTED) whole[name].push(...(page[name] ?? []));
    for (const part of page.conversations) {
      const key = part.conversation.id;
      if (!conversations.has(key)) conversations.set(key, { ...part.conversation, ...Object.fromEntries(EXPORTED.map((name) => [name, []])) });
      for (const name of EXPORTED) conversations.get(key)[name].push(...(part[name] ?? []));
    }
    onPage(conversations.size);
    cursor = page.nextCursor;
  }
  return { ...whole, conversations: [...conversations.values()] };
};

const Facts = ({ id, first }) => {
  const [facts, setFacts] = useState(first.facts);
  const [cursor, setCursor] = useState(first.nextCursor);
  const [text, setText] = useState("");
  const { busy, problem, write } = useWrite();
  const load = async (from) => {
    const answer = await attempt(() => get(`/customers/${id}`, { limit: FACTS, cursor: from }));
    if (!answer) return;
    setFacts(from ? [...facts, ...answer.facts] : answer.facts);
    setCursor(answer.nextCursor);
  };
  const add = async (event) => {
    event?.preventDefault();
    if (!text.trim() || busy) return;
    await write(async () => {
      await post(`/customers/${id}/facts`, { text: text.trim() });
      setText("");
      await load();
    });
  };
  const restore = async (fact) => (await attempt(() => post(`/customers/${id}/facts`, { text: fact.text }))) && load();
  const drop = async (fact) => {
    if (!(await attempt(() => remove(`/customers/${id}/facts/${fact.id}`)))) return;
    setFacts((before) => before.filter((each) => each.id !== fact.id));
    say("Fact removed.", { undo: () => restore(fact) });
  };
  return html`
    <section class="stack" aria-labelledby="facts">
      <h2 id="facts">Facts</h2>
      <form class="fact-form" onSubmit=${add}>
        <textarea rows="2" maxlength="2000" aria-label="A fact for your team" placeholder="What should your team know? They never see it."
          value=${text}
          onInput=${(event) => setText(event.currentTarget.value)}
          onKeyDown=${(event) => event.key === "Enter" && (event.ctrlKey || event.metaKey) && add(event)}></textarea>
        ${text.trim() && html`<${Button} type="submit" busy=${busy}>Add fact<//>`}
      </form>
      ${problem && html`<${Problem} problem=${problem} />`}
      <ul class="facts-kept">
        ${facts.map((fact) => html`
          <li key=${fact.id}>
            <p class="plain">${fact.text}</p>
            <${Button} icon="close" kind="quiet" label=${`Remove the fact “${fact.text.slice(0, 40)}”`} onClick=${() => drop(fact)} />
            <small>${fact.createdByName}, <${Time} at=${fact.createdAt} /></small>
          </li>
        `)}
      </ul>
      ${cursor && html`<${Button} kind="quiet" onClick=${() => load(cursor)}>Show older facts<//>`}
    </section>
  `;
};

const state = (each) => {
  if (each.archivedAt) return ["plain", "archived"];
  if (each.status === "resolved") return ["plain", "resolved"];
  return each.awaitingHuman ? ["warn", "waiting"] : ["good", "open"];
};

const Conversations = ({ id, onWrite }) => {
  const current = usePages("/conversations", "conversations", { customerId: id }, 20);
  const archived = usePages("/conversations", "conversations", { customerId: id, archived: true }, 20);
  const known = new Set(current.items.map((each) => each.id));
  const items = [...current.items, ...(current.isDone ? archived.items.filter((each) => !known.has(each.id)) : [])];
  const isEmpty = current.isDone && archived.isDone && !items.length;
  useEffect(() => onHint((hint) => hint.conversationId && known.has(hint.conversationId) && hint.type !== "typing" && hint.type !== "viewing" && current.reload()));
  return html`
    <section class="stack" aria-labelledby="conversations">
      <h2 id="conversations">Conversations</h2>
      ${isEmpty
        ? html`<${Empty} icon="inbox" title="No conversations yet"><p>What they write, and what you write to them, appears here.</p><p>
          <${Button} icon="mail" onClick=${onWrite}>Write to them<//></p><//>`
        : html`
          ${items.length > 0 && html`<ul class="rows">${items.map((each) => html`
            <li key=${each.id}><a class="row customer-row" href=${href(`/conversations/${each.id}`)}>
              <span class="grow clip">${each.subject || "No subject"}</span>
              ${each.rating && html`<small>${each.rating} of 5 stars</small>`}
              <${Badge} tone=${state(each)[0]}>${state(each)[1]}<//><small><${Time} at=${each.lastMessageAt} /></small>
            </a></li>
          `)}</ul>`}
          <${More} pages=${current} />${current.isDone && html`<${More} pages=${archived} lines=${1} />`}
        `}
    </section>
  `;
};

const Record = ({ customer, onEdit }) => {
  const facts = [
    ["E-mail", customer.email ?? "none"],
    ["Added", date(customer.createdAt)],
    ["Changed", date(customer.updatedAt)],
    ["Notices", customer.mailNotices ? "by mail" : html`<${Badge} tone="warn">unsubscribed<//>`],
    ...Object.entries(customer.metadata),
  ];
  return html`
    <section class="stack" aria-labelledby="record">
      <div class="buttons spread"><h2 id="record">Record</h2><${Button} icon="edit" kind="quiet" hotkey="e" onClick=${onEdit}>Edit<//></div>
      <dl class="facts">${facts.map(([name, value]) => html`<dt key=${name}>${name}</dt><dd>${value}</dd>`)}</dl>
      <p class="hint">${customer.mailNotices
        ? "Notices say that something they asked for is done. They can unsubscribe by the link in each."
        : "They unsubscribed from notices. Only they can turn them on again, by the link in a notice. Answers are still mailed."}</p>
    </section>
  `;
};

const EraseDialog = ({ customer, onClose }) => {
  const word = customer.name ?? customer.email ?? "erase";
  const [typed, setTyped] = useState("");
  const { busy, problem, write } = useWrite();
  const isRight = typed.trim().toLowerCase() === word.trim().toLowerCase();
  const erase = async () => {
    if (!isRight) return;
    await write(async () => {
      const { receipt } = await remove(`/customers/${customer.id}`);
      open(`/customers/${customer.id}?erasure=${receipt.id}`, { replace: true });
    });
  };
  return html`
    <${Dialog} title=${`Erase ${customer.name ?? customer.email ?? "this visitor"}?`} onClose=${onClose} onSubmit=${erase}
      actions=${html`<${Button} onClick=${onClose}>Cancel<//><${Button} kind="danger" type="submit" disabled=${!isRight}
        busy=${busy}>Erase for good<//>`}>
      <p>This removes their record, facts, conversations, files, posts and ratings. Nobody can undo it. Copies in Slack, Discord, GitHub and Linear stay until
        you delete them there, so export first if you need to find those.</p>
      ${problem && html`<${Problem} problem=${problem} />`}
      <${Field} label=${`Type “${word}” to confirm`}><input autofocus autocomplete="off" value=${typed}
        onInput=${(event) => setTyped(event.currentTarget.value)} /><//>
    <//>
  `;
};

const counted = (counts) => Object.entries(counts).filter(([, count]) => count > 0)
  .map(([name, count]) => [name === "threads" ? "threads in Slack and Discord left for you to delete" : name, count]);

// What became of an erasure, until it's finished and after.
export const Erased = ({ id }) => {
  const loaded = useLoaded(() => get(`/erasures/${id}`), [id]);
  const isRunning = loaded.data && !loaded.data.receipt.finishedAt;
  useEffect(() => {
    if (!isRunning) return undefined;
    const timer = setInterval(loaded.reload, 2_000);
    return () => clearInterval(timer);
  }, [isRunning]);
  return html`<${Shown} loaded=${loaded}>${({ receipt }) => html`
    <div class="page-head"><h1>${receipt.finishedAt ? "Customer erased" : "Erasing the customer …"}</h1></div>
    <div class="stack receipt" role="status">
      <p>${receipt.finishedAt ? "Nothing of them is left here." : "This usually takes seconds. You can leave this page; the work goes on."} Keep the receipt's ID as proof. It holds no personal data.</p>
      <dl class="facts">
        <dt>Receipt</dt><dd><code>${receipt.id}</code></dd>
        <dt>Customer</dt><dd><code>${receipt.customerId}</code></dd>
        <dt>Asked</dt><dd><${Time} at=${receipt.requestedAt} full /></dd>
        ${receipt.finishedAt && html`<dt>Finished</dt><dd><${Time} at=${receipt.finishedAt} full /></dd>`}
        ${receipt.counts && counted(receipt.counts).map(([name, count]) => html`<dt key=${name}>${name}</dt><dd>${count.toLocaleString()}</dd>`)}
      </dl>
      <div class="buttons">
        <${Button} onClick=${() => save(new Blob([JSON.stringify(receipt, null, 2)], { type: "application/json" }), `${receipt.id}.json`)}>Save the receipt<//>
          </div>
    </div>
  `}<//>`;
};

export const Customer = ({ id }) => {
  const loaded = useLoaded(() => get(`/customers/${id}`, { limit: FACTS }), [id]);
  return html`<${Shown} loaded=${loaded} lines=${8}>${(data) => html`<${Page} data=${data} reload=${loaded.reload}
    onChange=${(customer) => loaded.set({ ...data, customer })} />`}<//>`;
};

const Page = ({ data, onChange }) => {
  const { customer } = data;
  const [asked, setAsked] = useState(null);
  const [pages, setPages] = useState(null);
  const who = customer.name ?? customer.email ?? "Visitor";
  const close = () => setAsked(null);
  const change = async (form) => {
    const answer = await patch(`/customers/${customer.id}`, changesOf(form));
    onChange(answer.customer);
    say("Saved.");
  };
  const exportAll = async () => {
    setPages(0);
    const whole = await attempt(() => exported(customer.id, setPages));
    setPages(null);
    if (whole) save(new Blob([JSON.stringify(whole, null, 2)], { type: "application/json" }), `${customer.id}.json`);
  };
  useKeys([
    { key: "e", text: "Edit the customer", run: () => setAsked("edit") },
    { key: "r", text: "Write to the customer", run: () => setAsked("message") },
    { key: "u", text: "Back to the list", run: () => open("/customers") },
  ]);
  const items = [
    { text: "Copy ID", icon: "link", run: () => copy(customer.id) },
    ...(can("admin") ? [
      { text: "Export as JSON", icon: "down", disabled: pages !== null, run: exportAll },
      "-",
      { text: "Erase …", icon: "trash", danger: true, run: () => setAsked("erase") },
    ] : []),
  ];
  return html`
    <div class="page-head customer-head">
      <${Avatar} name=${who} size=${44} /><h1>${who}</h1>
      <div class="buttons">
        ${pages !== null && html`<span class="hint" role="status">Exporting … ${pages} conversations</span>`}
        <${Button} kind="main" icon="mail" hotkey="r" onClick=${() => setAsked("message")}>Write a message<//>
        <${Menu} label="More actions" items=${items} />
      </div>
    </div>
    <div class="customer-columns">
      <${Conversations} id=${customer.id} onWrite=${() => setAsked("message")} />
      <aside class="stack large" aria-label="Record and facts"><${Record} customer=${customer} onEdit=${() => setAsked("edit")} />
        <${Facts} id=${customer.id} first=${data} /></aside>
    </div>
    ${asked === "edit" && html`<${CustomerForm} title="Edit the customer" action="Save changes" customer=${customer} onSave=${change}
      onClose=${close} />`}
    ${asked === "message" && html`<${CustomerMessage} customer=${customer} onClose=${close} />`}
    ${asked === "erase" && html`<${EraseDialog} customer=${customer} onClose=${close} />`}
  `;
};
