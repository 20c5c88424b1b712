// What the sections of the settings share.
//
//   useForm(saved, save, nullable)   what was typed, what of it differs from `saved`, and saving it
//   Form {form, least, children}     a form of the page with its "Save changes"; read-only below the role `least`
//   FormDialog {title, form, action, onClose, children}
//   Pick {label, hint, value, options: [[value, text]], onChange}   a select with its label above
//   Head {title, lead, children}     the section's heading; children: its buttons
//   Group {title, hint, children}    some of its fields
//   Ready {loaded, children}         like Shown; a route that the server doesn't have is shown as not available
//   Copyable {label, value}          a value with a button that copies it
//   Secret {title, secret, onClose}  a secret that is shown once
import { html, useState } from "./vendor/htm-preact.js";
import { copy } from "./copying.js";
import { Shown } from "./loading.js";
import { can } from "./session.js";
import { Button, Dialog, Empty, Field, Problem, say } from "./ui.js";
import { useUnsaved } from "./unsaved.js";

const LEAVE = "Leave without saving? Your changes on this page will be lost.";

const comparable = (value) => JSON.stringify(typeof value === "number" ? String(value) : (value ?? ""));
const isSame = (one, other) => comparable(one) === comparable(other);

// The fields that a refusal is about: named in its message, as in "`name` must be …", or by its code, as in "slug_taken".
const fieldsOf = ({ message, code }) => (message.match(/`([^`]+)`/)?.[1] ?? code ?? "").split(/[\W_]+/);

// `save(changes)` sends what differs, and makes it the `saved` of the next rendering. Empty texts of `nullable` fields are sent
// as null. `error(name)` is the API's message if it names this field; `unplaced` is the problem if no field has shown it.
export const useForm = (saved, save, nullable = []) => {
  const [typed, setTyped] = useState({});
  const [state, setState] = useState({ busy: false, problem: null });
  const values = { ...saved, ...typed };
  const different = Object.entries(typed).filter(([name, value]) => !isSame(value, saved[name]));
  const changes = Object.fromEntries(different.map(([name, value]) => [name, value === "" && nullable.includes(name) ? null : value]));
  const isChanged = different.length > 0;
  useUnsaved(isChanged, LEAVE);
  const set = (name, value) => setTyped((before) => ({ ...before, [name]: value }));
  const named = state.problem ? fieldsOf(state.problem) : [];
  let isPlaced = false;
  const error = (name) => {
    if (!named.includes(name)) return null;
    isPlaced = true;
    return state.problem.message.replace(/^`[^`]+`/, "This").replaceAll("`", "");
  };
  return {
    ...state, values, changes, isChanged, set, error,
    get unplaced() {
      return isPlaced ? null : state.problem;
    },
    text: (name) => ({ name, value: values[name] ?? "", onInput: (event) => set(name, event.currentTarget.value) }),
    flag: (name) => ({ checked: values[name], onChange: (value) => set(name, value) }),
    pick: (name) => ({ value: values[name] ?? "", onChange: (value) => set(name, value) }),
    reset: () => (setTyped({}), setState({ busy: false, problem: null })),
    submit: async (event) => {
      event?.preventDefault();
      setState({ busy: true, problem: null });
      try {
        await save(changes);
        setTyped((now) => Object.fromEntries(Object.entries(now).filter(([name, value]) => value !== typed[name])));
        setState({ busy: false, problem: null });
        return true;
      } catch (problem) {
        setState({ busy: false, problem });
        return false;
      }
    },
  };
};

export const Form = ({ form, least = "admin", saying = "Changes saved", children, label }) => {
  const may = can(least);
  const submit = async (event) => {
    const element = event.currentTarget;
    if (await form.submit(event)) say(saying);
    else setTimeout(() => element.querySelector("[aria-invalid]")?.focus());
  };
  return html`
    <form class="stack large" aria-label=${label} onSubmit=${submit} novalidate>
      ${!may && html`<p class="hint">You can see these settings. Admins and owners can change them.</p>`}
      <fieldset class="stack large" disabled=${!may}>${children}</fieldset>
      ${may && html`
        <div class=${`save ${form.isChanged ? "changed" : ""}`}>
          ${form.unplaced ? html`<${Problem} problem=${form.unplaced} />`
            : form.problem && html`<p class="error" role="alert">Nothing is saved yet. Check the field that is marked.</p>`}
          <div class="buttons">
            <${Button} kind="main" type="submit" busy=${form.busy} disabled=${!form.isChanged}>Save changes<//>
            ${form.isChanged && html`<${Button} kind="quiet" onClick=${form.reset}>Discard<//>`}
          </div>
        </div>
      `}
    </form>
  `;
};

export const FormDialog = ({ title, form, action, onClose, children, wide, disabled }) => {
  const close = () => (!form.isChanged || confirm(LEAVE)) && onClose();
  const submit = async (event) => {
    const element = event.currentTarget;
    if (await form.submit()) onClose();
    else setTimeout(() => element.querySelector("[aria-invalid]")?.focus());
  };
  return html`
    <${Dialog} title=${title} wide=${wide} onClose=${close} onSubmit=${submit} actions=${html`
      <${Button} onClick=${close}>Cancel<//><${Button} kind="main" type="submit" busy=${form.busy} disabled=${disabled}>${action}<//>
    `}>
      ${children}${form.unplaced && html`<${Problem} problem=${form.unplaced} />`}
    <//>
  `;
};

export const Pick = ({ label, hint, error, value, options, onChange }) => html`
  <${Field} label=${label} hint=${hint} error=${error}>
    <select value=${value} onChange=${(event) => onChange(event.currentTarget.value)}>
      ${options.map(([key, text]) => html`<option key=${key} value=${key} selected=${key === value}>${text}</option>`)}
    </select>
  <//>
`;

export const Head = ({ title, lead, children }) => html`
  <div class="page-head"><h1>${title}</h1>${children}</div>
  ${lead && html`<p class="lead">${lead}</p>`}
`;

export const Group = ({ title, hint, children }) => html`
  <section class="group stack"><div><h2>${title}</h2>${hint && html`<p class="hint">${hint}</p>`}</div>${children}</section>
`;

export const Ready = ({ loaded, children, lines }) =>
  loaded.data === null && loaded.problem?.status === 404
    ? html`<${Empty} icon="settings" title="Not available here"><p>This server's version doesn't have this yet.</p><//>`
    : html`<${Shown} loaded=${loaded} lines=${lines}>${children}<//>`;

export const Copyable = ({ label, hint, value }) => html`
  <div class="copyable">
    <${Field} label=${label} hint=${hint}><input class="code" readonly value=${value} onFocus=${(event) => event.currentTarget.select()} /><//>
    <${Button} onClick=${() => copy(value)} label=${`Copy: ${label}`}>Copy<//>
  </div>
`;

export const Secret = ({ title, label, secret, children, onClose }) => html`
  <${Dialog} title=${title} onClose=${onClose} actions=${html`<${Button} kind="main" onClick=${onClose}>I saved it<//>`}>
    <p>Copy it now and keep it like a password. It won't be shown again.</p>
    <${Copyable} label=${label} value=${secret} />
    ${children}
  <//>
`;

// What was typed as a number. Anything else goes to the API as it is, which says what it expects.
export const numeric = (text) => (text === null || Number.isNaN(Number(text)) ? text : Number(text));

// The languages that visitors are written to in.
export const LANGUAGES = [
  ["en", "English"], ["de", "German"], ["fr", "French"], ["es", "Spanish"], ["it", "Italian"], ["pt", "Portuguese"], ["nl", "Dutch"],
];
