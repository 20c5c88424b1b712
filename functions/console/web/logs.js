// The organization's log: who changed what, and what stopped working.
import { html } from "./vendor/htm-preact.js";
import { Icon } from "./icons.js";
import { More, usePages } from "./loading.js";
import { open, place } from "./router.js";
import { useCell } from "./store.js";
import { Badge, Choice, Empty, Time } from "./ui.js";

const KINDS = [
  ["", "Everything"], ["settings_changed", "Settings"], ["member_joined", "New members"], ["member_removed", "Members removed"], ["member_role_changed", "Roles"],
  ["key_created", "Keys created"], ["key_revoked", "Keys revoked"], ["webhook_stopped_answering", "Webhooks that stopped"], ["integration_broken", "Broken integrations"],
  ["tool_call_approved", "Approved tool calls"], ["tool_call_denied", "Denied tool calls"], ["customer_erased", "Erasures"], ["api_limit_reached", "Rate limits"],
];
const ALARMING = /_stopped_answering$|_broken$|limit_reached$|ended_early$/;

const Detail = ({ log }) => html`
  <details>
    <summary>Details</summary>
    <dl class="facts">
      <dt>ID</dt><dd class="code">${log.id}</dd>
      ${log.count > 1 && html`<dt>Last time</dt><dd><${Time} at=${log.lastAt} full /></dd>`}
      ${Object.entries(log.detail).map(([name, value]) => html`<dt key=${name}>${name}</dt><dd class="code">${typeof value === "string" ? value : JSON.stringify(value)}</dd>`)}
    </dl>
  </details>
`;

export default function Logs() {
  const kind = useCell(place).query.get("kind") ?? "";
  const pages = usePages("/logs", "logs", { kind });
  const choose = (chosen) => open(chosen ? `/logs?kind=${chosen}` : "/logs", { replace: true });
  return html`<main class="page"><div class="within">
    <div class="page-head"><h1>Logs</h1><${Choice} label="Show" value=${kind} options=${KINDS} onChange=${choose} /></div>
    ${pages.isDone && !pages.items.length
      ? html`<${Empty} icon="logs" title="Nothing here"><p>Changes of settings, members and keys appear here, and whatever stops working.</p><//>`
      : html`<ul class="rows">
          ${pages.items.map((log) => html`
            <li key=${log.id}>
              <span class="log-time"><${Time} at=${log.at} /></span>
              <div class="grow">
                <p>${ALARMING.test(log.kind) && html`<${Icon} name="warning" size=${14} /> `}${log.summary}${log.count > 1 && html` <${Badge}>${log.count} times<//>`}</p>
                <small>${log.actor === "system" ? "The system" : log.actor}</small>
                <${Detail} log=${log} />
              </div>
            </li>
          `)}
        </ul><${More} pages=${pages} />`}
  </div></main>`;
}
