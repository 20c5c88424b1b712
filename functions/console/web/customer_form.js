// The form of a customer's record: who they are, and what else the team keeps about them by name and value.
import { html, useState } from "./vendor/htm-preact.js";
import { Button, Dialog, Field, Problem, useWrite } from "./ui.js";

const MOST_ENTRIES = 16;

const entriesOf = (customer) => Object.entries(customer?.metadata ?? {}).map(([name, value]) => ({ name, value }));

// What the API is sent of a form.
export const changesOf = ({ name, email, entries }) => ({
  name: name.trim() || null,
  email: email.trim() || null,
  metadata: Object.fromEntries(entries.filter((each) => each.name.trim() && each.value.trim()).map((each) => [each.name.trim(), each.value.trim()])),
});

// `onSave(form)` returns a promise; the form stays with its error if that fails.
export const CustomerForm = ({ title, action, customer, onSave, onClose }) => {
  const begun = { name: customer?.name ?? "", email: customer?.email ?? "", entries: entriesOf(customer) };
  const [first] = useState(() => JSON.stringify(begun));
  const [form, setForm] = useState(begun);
  const { busy, problem, write } = useWrite();
  const [missing, setMissing] = useState(false);
  const set = (part) => {
    setMissing(false);
    setForm({ ...form, ...part });
  };
  const setEntry = (index, part) => set({ entries: form.entries.map((each, at) => (at === index ? { ...each, ...part } : each)) });
  const close = () => (JSON.stringify(form) === first || confirm("Discard what you typed?")) && onClose();
  const submit = async () => {
    const { name, email, metadata } = changesOf(form);
    if (!name && !email && !Object.keys(metadata).length) return setMissing(true);
    return (await write(() => onSave(form))) && onClose();
  };
  return html`
    <${Dialog} title=${title} onClose=${close} onSubmit=${submit}
      actions=${html`<${Button} onClick=${close}>Cancel<//><${Button} type="submit" kind="main" busy=${busy}>${action}<//>`}>
      ${problem && html`<${Problem} problem=${problem} />`}
      <${Field} label="Name" error=${missing && "Enter a name, an e-mail address or a detail."}>
        <input autofocus maxlength="80" autocomplete="off" value=${form.name} onInput=${(event) => set({ name: event.currentTarget.value })} />
      <//>
      <${Field} label="E-mail address" hint="Nobody has checked that it's theirs.">
        <input type="email" maxlength="320" autocomplete="off" value=${form.email} onInput=${(event) => set({ email: event.currentTarget.value })} />
      <//>
      <fieldset class="entries-form">
        <legend>Details</legend>
        ${form.entries.map((each, index) => html`
          <div key=${index}>
            <input aria-label="Name of the detail" placeholder="plan" maxlength="200" value=${each.name}
              onInput=${(event) => setEntry(index, { name: event.currentTarget.value })} />
            <input aria-label=${`Value of ${each.name || "the detail"}`} placeholder="pro" maxlength="200" value=${each.value}
              onInput=${(event) => setEntry(index, { value: event.currentTarget.value })} />
            <${Button} icon="trash" kind="quiet" label=${`Remove ${each.name || "the detail"}`}
              onClick=${() => set({ entries: form.entries.filter((_, at) => at !== index) })} />
          </div>
        `)}
        ${form.entries.length < MOST_ENTRIES && html`<${Button} icon="plus"
          onClick=${() => set({ entries: [...form.entries, { name: "", value: "" }] })}>Add a detail<//>`}
      </fieldset>
    <//>
  `;
};
