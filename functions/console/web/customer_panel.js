// Who a conversation is with: the customer, what is known of them, calls of tools that wait, and earlier conversations.
import { html, useState } from "./vendor/htm-preact.js";
import { get, post, remove } from "./api.js";
import { ApprovalCard } from "./approval_card.js";
import { useLoaded } from "./loading.js";
import { href } from "./router.js";
import { attempt, Avatar, Badge, Button, Loading, Time } from "./ui.js";

const plain = (address) => address.replace(/^https?:\/\//, "").replace(/\/$/, "");

const Facts = ({ customerId }) => {
  const [text, setText] = useState("");
  const loaded = useLoaded(() => get(`/customers/${customerId}`, { limit: 50 }), [customerId]);
  if (!loaded.data) return loaded.problem ? null : html`<${Loading} lines=${3} />`;
  const { facts, customer } = loaded.data;
  const add = async (event) => {
    event.preventDefault();
    if (!text.trim() || !(await attempt(() => post(`/customers/${customerId}/facts`, { text: text.trim() })))) return;
    setText("");
    loaded.reload();
  };
  const drop = async (fact) => (await attempt(() => remove(`/customers/${customerId}/facts/${fact.id}`), "Removed.")) && loaded.reload();
  const metadata = Object.entries(customer.metadata);
  return html`
    ${metadata.length > 0 && html`<dl class="facts">${metadata.map(([name, value]) => html`<dt key=${name}>${name}</dt><dd>${value}</dd>`)}</dl>`}
    <h3>Facts</h3>
    <ul class="fact-list">
      ${facts.map((fact) => html`<li key=${fact.id} title=${`By ${fact.createdByName}`}><span>${fact.text}</span>
        <${Button} icon="close" kind="quiet" label=${`Remove “${fact.text.slice(0, 40)}”`} onClick=${() => drop(fact)} /></li>`)}
    </ul>
    <form onSubmit=${add}><input aria-label="Add a fact" placeholder="Add a fact" maxlength="500" value=${text} onInput=${(event) => setText(event.currentTarget.value)} /></form>
  `;
};

const Earlier = ({ conversation }) => {
  const loaded = useLoaded(() => get("/conversations", { customerId: conversation.customer.id, limit: 11 }), [conversation.customer.id]);
  const others = (loaded.data?.conversations ?? []).filter((each) => each.id !== conversation.id).slice(0, 10);
  if (!others.length) return null;
  return html`
    <h3>Other conversations</h3>
    <ul class="earlier">
      ${others.map((each) => html`<li key=${each.id}><a href=${href(`/conversations/${each.id}`)}><span class="clip">${each.subject || "No subject"}</span>
        ${each.status === "open" && html`<${Badge} tone="good">open<//>`}<${Time} at=${each.startedAt} /></a></li>`)}
    </ul>
  `;
};

const Waiting = ({ conversation, onChange }) => {
  const loaded = useLoaded(() => get("/approvals", { status: "pending", limit: 100 }), [conversation.id, conversation.pendingApprovals]);
  const mine = (loaded.data?.approvals ?? []).filter((each) => each.conversationId === conversation.id);
  if (!mine.length) return null;
  return html`<h3>Waits for your decision</h3>${mine.map((each) => html`<${ApprovalCard} key=${each.id} approval=${each} isBrief onDecided=${() => (loaded.reload(), onChange())} />`)}`;
};

export const CustomerPanel = ({ conversation, isShown, onClose, onChange }) => {
  const { customer, page, context } = conversation;
  const who = customer.name ?? customer.email ?? "Visitor";
  const facts = [
    context?.browser && ["Browser", [context.browser, context.os].filter(Boolean).join(" on ")],
    context?.device && ["Device", context.device],
    context?.locale && ["Language", context.locale],
    context?.timeZone && ["Time zone", context.timeZone],
    ["Began", html`<${Time} at=${conversation.startedAt} full />`],
    conversation.rating && ["Rating", `${conversation.rating} of 5 stars`],
  ].filter(Boolean);
  return html`
    <aside class=${`panel ${isShown ? "shown" : ""}`} aria-label="Customer">
      <div class="panel-close"><${Button} icon="close" kind="quiet" label="Close" onClick=${onClose} /></div>
      <div class="panel-who">
        <${Avatar} name=${who} size=${44} />
        <div><h2><a href=${href(`/customers/${customer.id}`)}>${who}</a></h2>${customer.name && customer.email && html`<p class="hint">${customer.email}</p>`}</div>
      </div>
      ${conversation.pendingApprovals > 0 && html`<${Waiting} conversation=${conversation} onChange=${onChange} />`}
      <${Facts} key=${customer.id} customerId=${customer.id} />
      <h3>This conversation</h3>
      ${page && html`<p>Wrote from <a href=${/^https?:/.test(page.url) ? page.url : undefined} target="_blank" rel="noopener noreferrer nofollow">${page.title || plain(page.url)}</a></p>`}
      <dl class="facts">${facts.map(([name, value]) => html`<dt key=${name}>${name}</dt><dd>${value}</dd>`)}</dl>
      <${Earlier} conversation=${conversation} />
    </aside>
  `;
};
