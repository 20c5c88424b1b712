// Webhooks: the endpoints that events are sent to; one endpoint with its events, its secret and its deliveries.
import { html, useState } from "./vendor/htm-preact.js";
import { get, patch, post, remove } from "./api.js";
import { More, Shown, useLoaded, usePages } from "./loading.js";
import { href, open } from "./router.js";
import { Form, FormDialog, Group, Head, Secret, useForm } from "./settings_parts.js";
import { Badge, Button, Confirm, Empty, Field, Problem, Time, attempt, date, dateTime, say, time } from "./ui.js";

const EVENTS = [
  ["conversation.created", "Conversation started"], ["conversation.updated", "Conversation changed"], ["message.created", "Message written"],
  ["bug.created", "Bug filed"], ["suggestion.created", "Suggestion filed"], ["signal.updated", "Signal changed"], ["knowledge.suggestion.created", "Document suggested"],
];
const STATUSES = { none: ["plain", "Nothing sent yet"], delivered: ["good", "Delivers"], failing: ["bad", "Fails"] };
const DELIVERIES = { pending: ["info", "Pending"], delivered: ["good", "Delivered"], failed: ["bad", "Failed"], cancelled: ["plain", "Canceled"] };
const ERRORS = {
  status: "Your server refused it", redirect: "Your server redirected it", timeout: "Your server took too long", invalid_url: "The address is invalid",
  refused_address: "The address isn't public", dns_failed: "The name wasn't found", connection_failed: "No connection", tls_failed: "The certificate wasn't accepted",
  incomplete: "The response was cut off", protocol_error: "The response wasn't HTTP", interrupted: "Interrupted on our side", internal: "A problem on our side",
};

const Events = ({ form, error }) => {
  const chosen = form.values.events;
  const toggle = (name, isOn) => form.set("events", EVENTS.map(([each]) => each).filter((each) => (each === name ? isOn : chosen.includes(each))));
  return html`
    <fieldset><legend>Events</legend>
      <div class="checks">${EVENTS.map(([name, text]) => html`
        <label key=${name}><input type="checkbox" checked=${chosen.includes(name)} onChange=${(event) => toggle(name, event.currentTarget.checked)} />
          <span>${text}<small class="code"> ${name}</small></span></label>
      `)}</div>
      ${error && html`<p class="error">${error}</p>`}
    </fieldset>
  `;
};

const Address = ({ form, error }) => html`
  <${Field} label="Address" hint="An https address on the public internet." error=${error}>
    <input ...${form.text("url")} type="url" required maxlength="512" placeholder="https://shop.example.com/helpdesk/events" autocomplete="off" />
  <//>
`;

const Create = ({ onClose }) => {
  const form = useForm({ url: "", events: [] }, async (changes) => {
    const { id } = await post("/webhooks", { url: "", events: [], ...changes });
    say("The endpoint is added. Send it a test.");
    open(`/settings/webhooks/${id}`);
  });
  return html`
    <${FormDialog} title="New endpoint" form=${form} action="Add the endpoint" onClose=${onClose} wide>
      <${Address} form=${form} error=${form.error("url")} /><${Events} form=${form} error=${form.error("events")} />
    <//>
  `;
};

const Attempts = ({ attempts }) => html`
  <div class="scroll"><table>
    <thead><tr><th scope="col">Attempt</th><th scope="col">When</th><th scope="col">Result</th><th scope="col" class="number">Took</th></tr></thead>
    <tbody>${attempts.map((each, index) => html`
      <tr key=${index}>
        <td>${each.attempt}</td><td>${date(each.at)}, ${time(each.at)}</td>
        <td>${each.status ? `HTTP ${each.status}` : ""}${each.error ? html` ${ERRORS[each.error] ?? each.error}` : ""}</td><td class="number">${each.durationMs} ms</td>
      </tr>
    `)}</tbody>
  </table></div>
`;

const next = (at) => (at - Date.now() < 60_000 ? "in a moment" : html`in <${Time} at=${at} />`);

const Delivery = ({ endpoint, delivery, reload }) => {
  const [isOpen, setOpen] = useState(false);
  const [tone, text] = DELIVERIES[delivery.status] ?? ["plain", delivery.status];
  const again = async () => {
    await attempt(() => post(`/webhooks/${endpoint}/deliveries/${delivery.eventId}/redeliver`), "Sent again");
    setTimeout(reload, 1_500);
  };
  return html`
    <li>
      <span class="grow"><b class="code">${delivery.type}</b>
        <small><${Time} at=${delivery.createdAt} />${delivery.nextAttemptAt && html`, next attempt ${next(delivery.nextAttemptAt)}`}</small></span>
      <${Badge} tone=${tone}>${text}<//>
      ${delivery.attempts.length > 0 && html`
        <${Button} kind="quiet" icon=${isOpen ? "down" : "next"} aria-expanded=${String(isOpen)} onClick=${() => setOpen(!isOpen)}>
          ${delivery.attempts.length === 1 ? "1 attempt" : `${delivery.attempts.length} attempts`}<//>
      `}
      ${delivery.status !== "cancelled" && html`<${Button} kind="quiet" onClick=${again} label=${`Send ${delivery.type} again`}>Send again<//>`}
      ${isOpen && html`<div class="whole stack"><p class="hint code">${delivery.eventId}</p><${Attempts} attempts=${delivery.attempts} /></div>`}
    </li>
  `;
};

const Deliveries = ({ id }) => {
  const pages = usePages(`/webhooks/${id}/deliveries`, "deliveries");
  const test = async () => {
    await attempt(() => post(`/webhooks/${id}/test`), "A test event is on its way");
    setTimeout(pages.reload, 1_500);
  };
  return html`
    <${Group} title="Deliveries" hint="Of the last 30 days. A failed one is tried five times.">
      <div class="buttons"><${Button} icon="send" onClick=${test}>Send a test<//><${Button} kind="quiet" onClick=${pages.reload}>Reload<//></div>
      ${pages.isDone && !pages.items.length ? html`<p class="hint">Nothing was sent yet. Send a test to see whether your server takes it.</p>` : html`
        ${pages.items.length > 0 && html`<ul class="rows" aria-label="Deliveries">
          ${pages.items.map((each) => html`<${Delivery} key=${each.eventId} endpoint=${id} delivery=${each} reload=${pages.reload} />`)}</ul>`}
        <${More} pages=${pages} />
      `}
    <//>
  `;
};

const Signing = ({ endpoint, reload }) => {
  const [secret, setSecret] = useState(null);
  const [asked, setAsked] = useState(null);
  const create = async () => {
    setSecret((await post(`/webhooks/${endpoint.id}/secret`)).secret);
    reload();
  };
  return html`
    <${Group} title="Signing secret" hint="Your server checks with it that an event comes from us. It works with the Standard Webhooks libraries.">
      ${endpoint.secretCreatedAt && html`<p>Created on ${date(endpoint.secretCreatedAt)}.</p>`}
      ${!endpoint.keyId && html`<p class="hint">The key that signed this endpoint's deliveries was revoked. Use the secret.</p>`}
      <div class="buttons">
        ${endpoint.secretCreatedAt ? html`
          <${Button} onClick=${() => setAsked("rotate")}>Replace the secret<//><${Button} kind="quiet" onClick=${() => setAsked("remove")}>Remove it<//>`
          : html`<${Button} onClick=${() => attempt(create)}>Create a secret<//>`}
      </div>
    <//>
    ${asked === "rotate" && html`
      <${Confirm} title="Replace the signing secret?" action="Replace the secret" danger=${false} run=${create} onClose=${() => setAsked(null)}>
        <p>For 24 hours, deliveries are signed with both. Give your server the new one before then.</p><//>`}
    ${asked === "remove" && html`
      <${Confirm} title="Remove the signing secret?" action="Remove the secret" onClose=${() => setAsked(null)}
        run=${async () => (await remove(`/webhooks/${endpoint.id}/secret`), reload())}>
        <p>Deliveries are no longer signed with it. The signature of the API key stays.</p><//>`}
    ${secret && html`<${Secret} title="The signing secret" label="Secret" secret=${secret} onClose=${() => setSecret(null)} />`}
  `;
};

const One = ({ endpoint, reload }) => {
  const [isAsking, setAsking] = useState(false);
  const form = useForm(endpoint, async (changes) => {
    await patch(`/webhooks/${endpoint.id}`, changes);
    await reload();
  });
  const [tone, text] = STATUSES[endpoint.status] ?? ["plain", endpoint.status];
  return html`
    <${Head} title=${new URL(endpoint.url).host}>
      <${Badge} tone=${tone}>${text}<//><${Button} icon="trash" kind="quiet" label="Remove the endpoint" onClick=${() => setAsking(true)} />
    <//>
    <div class="stack large">
      ${endpoint.failingSince && html`<${Problem} problem=${{ message: `Deliveries have failed since ${dateTime(endpoint.failingSince)}. The attempts below say why.` }} />`}
      <${Form} form=${form} label="The endpoint">
        <${Group} title="Endpoint"><${Address} form=${form} error=${form.error("url")} /><${Events} form=${form} error=${form.error("events")} /><//>
      <//>
      <${Signing} endpoint=${endpoint} reload=${reload} />
      <${Deliveries} id=${endpoint.id} />
    </div>
    ${isAsking && html`
      <${Confirm} title="Remove this endpoint?" action="Remove the endpoint" onClose=${() => setAsking(false)}
        run=${async () => {
          await remove(`/webhooks/${endpoint.id}`);
          say("The endpoint was removed");
          open("/settings/webhooks");
        }}>
        <p><b>${endpoint.url}</b> gets no more events, and what is waiting for it is canceled.</p>
      <//>
    `}
  `;
};

const Row = ({ endpoint }) => {
  const [tone, text] = STATUSES[endpoint.status] ?? ["plain", endpoint.status];
  return html`
    <li><a class="row" href=${href(`/settings/webhooks/${endpoint.id}`)}>
      <span class="grow"><b>${endpoint.url}</b><small>${endpoint.events.length === 1 ? "1 kind of event" : `${endpoint.events.length} kinds of event`}</small></span>
      ${endpoint.lastDeliveryAt && html`<small>Last delivery on ${date(endpoint.lastDeliveryAt)}</small>`}<${Badge} tone=${tone}>${text}<//>
    </a></li>
  `;
};

const List = ({ data: { webhooks, unreadable }, reload, onNew }) => {
  const drop = (id) => attempt(async () => (await remove(`/webhooks/${id}`), reload()), "The endpoint was removed");
  if (!webhooks.length && !unreadable.length) {
    return html`<${Empty} icon="bolt" title="Let your own systems know">
      <p>We send an event to your server when a conversation starts, a message arrives or a bug is filed.</p>
      <${Button} kind="main" icon="plus" onClick=${onNew}>New endpoint<//><//>`;
  }
  return html`<ul class="rows" aria-label="Webhook endpoints">
    ${webhooks.map((each) => html`<${Row} key=${each.id} endpoint=${each} />`)}
    ${unreadable.map(({ id }) => html`<li key=${id}><span class="grow"><code>${id}</code><small>This endpoint can't be read. Ask your operator, or remove it.</small></span>
      <${Button} kind="quiet" onClick=${() => drop(id)}>Remove<//></li>`)}
  </ul>`;
};

export default function Webhooks({ path: [id] }) {
  const loaded = useLoaded(() => get("/webhooks"), [id]);
  const [isNew, setNew] = useState(false);
  if (id) {
    return html`
      <p class="crumb"><a href=${href("/settings/webhooks")}>Webhooks</a></p>
      <${Shown} loaded=${loaded}>${({ webhooks }) => {
        const endpoint = webhooks.find((each) => each.id === id);
        if (endpoint) return html`<${One} key=${id} endpoint=${endpoint} reload=${loaded.reload} />`;
        return html`<${Head} title="There's no such endpoint" /><p>It may have been removed.</p>`;
      }}<//>
    `;
  }
  return html`
    <${Head} title="Webhooks" lead="Events that your own server receives.">
      ${loaded.data?.webhooks.length > 0 && html`<${Button} kind="main" icon="plus" onClick=${() => setNew(true)}>New endpoint<//>`}
    <//>
    <${Shown} loaded=${loaded}>${(data) => html`<${List} data=${data} reload=${loaded.reload} onNew=${() => setNew(true)} />`}<//>
    ${isNew && html`<${Create} onClose=${() => setNew(false)} />`}
  `;
}
