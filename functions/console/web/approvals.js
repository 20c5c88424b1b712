// Approvals: the calls of tools that wait for a person, and those that were decided.
import { html, useEffect, useState } from "./vendor/htm-preact.js";
import { get } from "./api.js";
import { ApprovalCard } from "./approval_card.js";
import { onHint } from "./live.js";
import { More, Shown, useLoaded, usePages } from "./loading.js";
import { href } from "./router.js";
import { Choice, Empty } from "./ui.js";

const STATUSES = [["pending", "Waiting"], ["approved", "Approved"], ["denied", "Denied"], ["expired", "Expired"]];

const One = ({ id }) => {
  const loaded = useLoaded(() => get(`/approvals/${id}`), [id]);
  return html`<${Shown} loaded=${loaded}>${({ approval }) => html`<${ApprovalCard} approval=${approval} onDecided=${loaded.reload} />`}<//>`;
};

const All = () => {
  const [status, setStatus] = useState("pending");
  const pages = usePages("/approvals", "approvals", { status });
  useEffect(() => onHint((hint) => (hint.type === "approval" || hint.type === "missed") && pages.reload()), [status]);
  return html`
    <div class="page-head"><h1>Approvals</h1><${Choice} label="Show" value=${status} options=${STATUSES} onChange=${setStatus} /></div>
    ${pages.isDone && !pages.items.length
      ? html`<${Empty} icon="approvals" title=${status === "pending" ? "Nothing waits for your decision" : "None yet"}>
          <p>When the agent wants to run a tool that needs a person, it appears here.</p><//>`
      : html`<div class="stack">${pages.items.map((each) => html`<${ApprovalCard} key=${each.id} approval=${each} onDecided=${pages.reload} />`)}<${More} pages=${pages} /></div>`}
  `;
};

export default function Approvals({ path: [id] }) {
  return html`<main class="page"><div class="within">
    ${id ? html`<p class="crumb"><a href=${href("/approvals")}>All approvals</a></p><${One} key=${id} id=${id} />` : html`<${All} />`}
  </div></main>`;
}
