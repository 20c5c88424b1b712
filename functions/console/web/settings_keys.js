// API keys: each is shown once, when it is created.
import { html, useState } from "./vendor/htm-preact.js";
import { post, remove } from "./api.js";
import { More, usePages } from "./loading.js";
import { memberName } from "./session.js";
import { FormDialog, Head, Secret, useForm } from "./settings_parts.js";
import { Badge, Button, Confirm, Empty, Field, date, say } from "./ui.js";

const Create = ({ onClose, onCreated }) => {
  const form = useForm({ name: "" }, async ({ name = "" }) => onCreated({ name, ...(await post("/keys", { name })) }));
  return html`
    <${FormDialog} title="New API key" form=${form} action="Create the key" onClose=${onClose}>
      <${Field} label="Name" hint="What will use it, such as “Shop server”." error=${form.error("name")}>
        <input ...${form.text("name")} required maxlength="40" autocomplete="off" />
      <//>
    <//>
  `;
};

const Key = ({ item, reload }) => {
  const [isAsking, setAsking] = useState(false);
  const author = item.createdBy?.startsWith("usr_") ? memberName(item.createdBy).replace(/^You$/, "you") : item.createdByName;
  return html`
    <li>
      <span class="grow"><b>${item.name}</b> <code class="hint">…${item.hint}</code>
        <small>Created by ${author} on ${date(item.createdAt)}. ${item.lastUsedAt ? `Last used on ${date(item.lastUsedAt)}` : "Never used"}.</small></span>
      ${item.legacy && html`<span title="It works, and signs no webhooks or tool calls. Replace it."><${Badge} tone="warn">Old kind<//></span>`}
      ${item.revokedAt ? html`<${Badge} tone="bad">Revoked on ${date(item.revokedAt)}<//>` : html`
        <${Button} kind="quiet" onClick=${() => setAsking(true)} label=${`Revoke ${item.name}`}>Revoke<//>
      `}
      ${isAsking && html`
        <${Confirm} title=${`Revoke “${item.name}”?`} action="Revoke the key" onClose=${() => setAsking(false)}
          run=${async () => {
            await remove(`/keys/${item.id}`);
            say(`“${item.name}” was revoked`);
            reload();
          }}>
          <p>What uses it is refused at once. Webhooks and tool calls that it signed no longer verify. This can't be undone.</p>
        <//>
      `}
    </li>
  `;
};

export default function Keys() {
  const pages = usePages("/keys", "keys");
  const [isNew, setNew] = useState(false);
  const [created, setCreated] = useState(null);
  return html`
    <${Head} title="API keys" lead="A key lets a program of yours use the API as your organization. Keep it on a server, never in a page or an app.">
      <${Button} kind="main" icon="plus" onClick=${() => setNew(true)}>New API key<//>
    <//>
    ${pages.isDone && !pages.items.length ? html`<${Empty} icon="link" title="No keys yet"><p>Create one for each program that uses the API.</p><//>` : html`
      ${pages.items.length > 0 && html`<ul class="rows" aria-label="API keys">
        ${pages.items.map((each) => html`<${Key} key=${each.id} item=${each} reload=${pages.reload} />`)}</ul>`}
      <${More} pages=${pages} />
    `}
    ${isNew && html`<${Create} onClose=${() => setNew(false)} onCreated=${(key) => (setCreated(key), pages.reload())} />`}
    ${created && html`<${Secret} title=${`Your key “${created.name}”`} label="Secret key" secret=${created.key} onClose=${() => setCreated(null)} />`}
  `;
}
