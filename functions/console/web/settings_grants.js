// Connected programs: those that act as the person, and for admins those of the whole organization.
import { html, useState } from "./vendor/htm-preact.js";
import { get, remove } from "./api.js";
import { More, Shown, useLoaded, usePages } from "./loading.js";
import { can } from "./session.js";
import { Group, Head } from "./settings_parts.js";
import { Badge, Button, Confirm, date, say } from "./ui.js";

const Grant = ({ grant, path, whose, reload }) => {
  const [isAsking, setAsking] = useState(false);
  return html`
    <li>
      <span class="grow"><b>${grant.clientName}</b>${grant.current && html` <${Badge} tone="info">This console<//>`}
        <small>${whose}. ${grant.scopes.includes("manage") ? "Does the daily work and manages settings" : "Does the daily work"} since ${date(grant.createdAt)}.</small></span>
      <small>Last used on ${date(grant.refreshedAt)}</small>
      <${Button} kind="quiet" onClick=${() => setAsking(true)} label=${`End the access of ${grant.clientName}`}>End access<//>
      ${isAsking && html`
        <${Confirm} title=${`End the access of ${grant.clientName}?`} action="End access" onClose=${() => setAsking(false)}
          run=${async () => {
            await remove(`${path}/${grant.id}`);
            say(`${grant.clientName} has no access any more`);
            reload();
          }}>
          <p>It's signed out at once.${grant.current ? " That is this console: you will have to sign in again." : ""}</p>
        <//>
      `}
    </li>
  `;
};

const Mine = () => {
  const loaded = useLoaded(() => get("/me/grants"));
  return html`
    <${Group} title="Yours" hint="They act as you.">
      <${Shown} loaded=${loaded} lines=${3}>${({ grants }) => grants.length ? html`
        <ul class="rows" aria-label="Programs that act as you">${grants.map((each) => html`
          <${Grant} key=${each.id} grant=${each} path="/me/grants" whose=${each.organizationName ?? "No organization chosen"} reload=${loaded.reload} />`)}</ul>
      ` : html`<p class="hint">None yet. The command line and assistants appear here once you sign in with them.</p>`}<//>
    <//>
  `;
};

const Everyone = () => {
  const pages = usePages("/grants", "grants");
  return html`
    <${Group} title="Of everyone in your organization" hint="Each acts as the member who allowed it.">
      ${pages.items.length > 0 && html`<ul class="rows" aria-label="Programs of all members">${pages.items.map((each) => html`
        <${Grant} key=${each.id} grant=${each} path="/grants" whose=${`Acts as ${each.userName}`} reload=${pages.reload} />`)}</ul>`}
      ${pages.isDone && !pages.items.length ? html`<p class="hint">None.</p>` : html`<${More} pages=${pages} />`}
    <//>
  `;
};

export default function Grants() {
  return html`
    <${Head} title="Connected programs" lead="Programs that may use your organization after someone signed in with them." />
    <div class="stack large"><${Mine} />${can("admin") && html`<${Everyone} />`}</div>
  `;
}
