// The person: their name, what they are mailed about, and leaving the organization.
import { html, useState } from "./vendor/htm-preact.js";
import { get, patch, remove } from "./api.js";
import { Shown, useLoaded } from "./loading.js";
import { href } from "./router.js";
import { loadMembers, me } from "./session.js";
import { useCell } from "./store.js";
import { Form, Group, Head, useForm } from "./settings_parts.js";
import { Button, Confirm, Field, Switch, attempt } from "./ui.js";

const MAILS = [
  ["waiting", "A conversation waits for the team", "One that nobody is assigned to."],
  ["assigned", "A conversation is assigned to me", null],
  ["reply", "A customer writes in a conversation of mine", null],
  ["approval", "A tool waits for an approval", null],
];

const Name = () => {
  const { user } = useCell(me);
  const form = useForm({ name: user.name }, async ({ name }) => {
    me.value = await patch("/me", { name });
    loadMembers().catch(() => {});
  });
  return html`
    <${Form} form=${form} least="member" label="Your profile">
      <${Group} title="You">
        <${Field} label="Name" hint="Customers and teammates see it, in all your organizations." error=${form.error("name")}>
          <input ...${form.text("name")} maxlength="80" autocomplete="name" />
        <//>
        <${Field} label="E-mail address" hint="You sign in with it."><input readonly value=${user.email} /><//>
      <//>
    <//>
  `;
};

const Notifications = () => {
  const loaded = useLoaded(() => get("/me/notifications"));
  const change = async (name, isOn) => {
    const { mail } = loaded.data;
    const next = isOn ? [...mail, name] : mail.filter((each) => each !== name);
    loaded.set({ mail: next });
    if (!(await attempt(() => patch("/me/notifications", { mail: next }), "Saved"))) loaded.set({ mail });
  };
  return html`
    <${Group} title="Mail me when" hint="In this organization. What happens within two minutes in a conversation comes in one mail.">
      <${Shown} loaded=${loaded} lines=${4}>${({ mail }) => html`
        <div class="stack">${MAILS.map(([name, label, hint]) => html`
          <${Switch} key=${name} label=${label} hint=${hint} checked=${mail.includes(name)} onChange=${(isOn) => change(name, isOn)} />
        `)}</div>
      `}<//>
    <//>
  `;
};

const Leave = () => {
  const { organization } = useCell(me);
  const [isAsking, setAsking] = useState(false);
  return html`
    <${Group} title=${`Leave ${organization.name}`} hint="You lose access at once. A teammate can invite you again.">
      <div><${Button} kind="danger" onClick=${() => setAsking(true)}>Leave this organization<//></div>
    <//>
    ${isAsking && html`
      <${Confirm} title=${`Leave ${organization.name}?`} action="Leave" onClose=${() => setAsking(false)}
        run=${async () => {
          await remove("/me/organization");
          location.assign(href("/"));
        }}>
        <p>You lose access to its conversations at once. What you wrote stays.</p>
      <//>
    `}
  `;
};

export default function Me() {
  return html`<${Head} title="Profile and notifications" /><div class="stack large"><${Name} /><${Notifications} /><${Leave} /></div>`;
}
