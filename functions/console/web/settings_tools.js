// Tools: the servers that declare them, and what each tool is and may do.
import { html, useState } from "./vendor/htm-preact.js";
import { everyPage, get, patch, post, put, remove, search } from "./api.js";
import { Shown, useLoaded } from "./loading.js";
import { href } from "./router.js";
import { can } from "./session.js";
import { FormDialog, Group, Head, useForm } from "./settings_parts.js";
import { RISKS, Tool } from "./settings_tool.js";
import { Badge, Button, Confirm, Empty, Field, Menu, Time, attempt, say } from "./ui.js";

const STATES = { pending: ["info", "Reading"], synced: ["good", "Up to date"], failed: ["bad", "Failed"] };
const KINDS = { added: "is new", changed: "has changed", removed: "is gone" };

const Address = ({ endpoint, onClose, reload }) => {
  const form = useForm({ url: endpoint?.url ?? "" }, async ({ url = "" }) => {
    if (endpoint) await patch(`/tool-endpoints/${endpoint.id}`, { url });
    else await put("/tool-endpoints", { url });
    say("Its tools are being read");
    reload();
  });
  return html`
    <${FormDialog} title=${endpoint ? "Change the server's address" : "Connect a server"} form=${form} action=${endpoint ? "Save changes" : "Connect it"} onClose=${onClose}>
      <${Field} label="Address" hint="An https address on the public internet that answers with the tools." error=${form.error("url")}>
        <input ...${form.text("url")} type="url" required maxlength="512" placeholder="https://shop.example.com/helpdesk/tools" autocomplete="off" /><//>
    <//>
  `;
};

const Changes = ({ endpoint, reload }) => {
  const waiting = endpoint.changes.filter((each) => each.id);
  if (!waiting.length) return null;
  const accept = async (ids) => {
    await attempt(() => post(`/tool-endpoints/${endpoint.id}/changes/accept`, { changes: ids }), "Accepted");
    reload();
  };
  return html`
    <div class="whole stack">
      <p><b>${waiting.length === 1 ? "1 change waits for you" : `${waiting.length} changes wait for you`}</b>
        <span class="hint"> Open a tool to read its change before you accept it.</span></p>
      <ul class="stack">${waiting.map((each) => html`
        <li key=${each.id} class="buttons">
          <span><a class="code" href=${href(`/settings/tools/${each.tool}`)}>${each.tool}</a>
            ${" "}${KINDS[each.kind] ?? each.kind}${each.fields.length > 0 && `: ${each.fields.join(", ")}`}</span>
          <${Button} onClick=${() => accept([each.id])} label=${`Accept the change of ${each.tool}`}>Accept<//>
        </li>
      `)}</ul>
      ${waiting.length > 1 && html`<div><${Button} onClick=${() => accept(waiting.map((each) => each.id))}>Accept all<//></div>`}
    </div>
  `;
};

const Endpoint = ({ endpoint, reload }) => {
  const [asked, setAsked] = useState(null);
  const close = () => setAsked(null);
  const sync = async () => {
    await attempt(() => post(`/tool-endpoints/sync?${search({ url: endpoint.url })}`), "It is being read again");
    setTimeout(reload, 2_000);
  };
  const [tone, text] = STATES[endpoint.status] ?? ["plain", endpoint.status];
  return html`
    <li>
      <span class="grow"><b>${endpoint.url}</b>
        <small>${endpoint.tools.length === 1 ? "1 tool" : `${endpoint.tools.length} tools`}${endpoint.lastSyncAt && html`, read <${Time} at=${endpoint.lastSyncAt} />`}</small>
        ${endpoint.problem && html`<p class="error">${endpoint.problem}</p>`}
        ${!endpoint.keyId && html`<p class="error">The key that signed its calls was revoked. Remove the server and connect it again.</p>`}</span>
      <${Badge} tone=${tone}>${text}<//>
      <${Menu} label=${`More about ${endpoint.url}`} items=${[
        { text: "Read it again now", run: sync }, { text: "Change the address", icon: "edit", run: () => setAsked("edit") },
        { text: "Remove it", icon: "trash", danger: true, run: () => setAsked("remove") },
      ]} />
      <${Changes} endpoint=${endpoint} reload=${reload} />
      ${asked === "edit" && html`<${Address} endpoint=${endpoint} onClose=${close} reload=${reload} />`}
      ${asked === "remove" && html`
        <${Confirm} title="Remove this server?" action="Remove it" onClose=${close} run=${async () => (await remove(`/tool-endpoints/${endpoint.id}`), reload())}>
          <p>The agent loses its ${endpoint.tools.length} tools of <b>${endpoint.url}</b>. Calls that wait for an approval expire.</p><//>`}
    </li>
  `;
};

const Endpoints = ({ onChange }) => {
  const loaded = useLoaded(() => get("/tool-endpoints"));
  const [isNew, setNew] = useState(false);
  const reload = () => (loaded.reload(), onChange());
  const drop = (id) => attempt(async () => (await remove(`/tool-endpoints/${id}`), reload()), "The server was removed");
  return html`
    <${Group} title="Servers">
      <${Shown} loaded=${loaded} lines=${2}>${({ toolEndpoints, unreadable }) => html`
        ${toolEndpoints.length + unreadable.length > 0 && html`<ul class="rows" aria-label="Servers">
          ${toolEndpoints.map((each) => html`<${Endpoint} key=${each.id} endpoint=${each} reload=${reload} />`)}
          ${unreadable.map(({ id }) => html`
            <li key=${id}><span class="grow"><code>${id}</code><small>This server can't be read. Ask your operator, or remove it.</small></span>
            <${Button} kind="quiet" onClick=${() => drop(id)}>Remove<//></li>`)}
        </ul>`}
        <div class="buttons"><${Button} icon="plus" onClick=${() => setNew(true)}>Connect a server<//><${Button} kind="quiet" onClick=${reload}>Reload<//></div>
      `}<//>
    <//>
    ${isNew && html`<${Address} onClose=${() => setNew(false)} reload=${reload} />`}
  `;
};

const Row = ({ tool }) => html`
  <li><a class="row" href=${href(`/settings/tools/${encodeURIComponent(tool.name)}`)}>
    <span class="grow"><b>${tool.title ?? tool.name}</b><small class="lines">${tool.description}</small></span>
    ${tool.changeId && html`<${Badge} tone="warn">Change waits<//>`}
    ${!tool.enabled ? html`<${Badge}>Off<//>` : !tool.offered && tool.inForce && html`<${Badge} tone="warn">Doesn't fit<//>`}
    <${Badge} tone=${RISKS[tool.risk]?.[0]}>${RISKS[tool.risk]?.[1] ?? tool.risk}<//>
  </a></li>
`;

export default function Tools({ path: [name] }) {
  const loaded = useLoaded(() => everyPage("/tools", "tools", 50));
  if (name) {
    return html`
      <p class="crumb"><a href=${href("/settings/tools")}>Tools</a></p>
      <${Shown} loaded=${loaded}>${(tools) => {
        const tool = tools.find((each) => each.name === name);
        if (tool) return html`<${Tool} key=${name} tool=${tool} reload=${loaded.reload} />`;
        return html`<${Head} title="There's no such tool" /><p>No server declares a tool “${name}”.</p>`;
      }}<//>
    `;
  }
  return html`
    <${Head} title="Tools" lead="What the agent can do on your own servers, such as looking up an order." />
    <div class="stack large">
      <${Shown} loaded=${loaded}>${(tools) => tools.length
        ? html`<ul class="rows" aria-label="Tools">${tools.map((each) => html`<${Row} key=${each.name} tool=${each} />`)}</ul>`
        : html`<${Empty} icon="bolt" title="No tools yet">
          <p>${can("admin") ? "Connect a server of yours that declares tools. They appear here." : "Once an admin connects a server, its tools appear here."}</p><//>`}<//>
      ${can("admin") && html`<${Endpoints} onChange=${loaded.reload} />`}
    </div>
  `;
}
