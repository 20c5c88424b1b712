// What signals, tasks and posts share: their words, a look every few seconds at what others changed, and forms in which nobody
// overwrites what somebody else wrote meanwhile.
import { html, useEffect, useRef, useState } from "./vendor/htm-preact.js";
import { onHint } from "./live.js";
import { href } from "./router.js";
import { Badge, Button, Field, Problem, useWrite } from "./ui.js";
import { useUnsaved } from "./unsaved.js";

export const PRIORITIES = [["urgent", "Urgent"], ["high", "High"], ["medium", "Medium"], ["low", "Low"]];
export const KINDS = [["bug", "Bug"], ["suggestion", "Suggestion"]];
export const STATUSES = [
  ["open", "Open"], ["planned", "Planned"], ["in progress", "In progress"], ["in review", "In review"], ["done", "Done"], ["declined", "Declined"],
];
const TONES = { urgent: "bad", high: "warn", planned: "info", "in progress": "info", "in review": "info", done: "good" };

export const named = (options, value) => options.find(([key]) => key === value)?.[1] ?? value;
// The options of a Choice among things with an ID and a name.
export const choices = (things) => things.map((each) => [each.id, each.name]);
export const count = (number, one, many = `${one}s`) => `${new Intl.NumberFormat().format(number)} ${number === 1 ? one : many}`;

export const PriorityBadge = ({ priority }) => priority && html`<${Badge} tone=${TONES[priority]}>${named(PRIORITIES, priority)}<//>`;
export const StatusBadge = ({ status }) => html`<${Badge} tone=${TONES[status]}>${named(STATUSES, status)}<//>`;

// Links come from commits and trackers: only web addresses are shown as such.
export const Out = ({ to, children }) =>
  /^https?:\/\//i.test(to ?? "") ? html`<a href=${to} target="_blank" rel="noopener noreferrer">${children}</a>` : html`<span>${children}</span>`;

// What an input calls with its value.
export const typed = (take) => (event) => take(event.currentTarget.value);

// A path with what a list is narrowed to: "/signals?status=planned".
export const addressOf = (path, filter) => {
  const all = Object.entries(filter).filter(([, value]) => value);
  return all.length ? `${path}?${new URLSearchParams(all)}` : path;
};

export const Search = ({ label, words, onSearch }) => html`
  <form class="words" role="search"
    onSubmit=${(event) => (event.preventDefault(), onSearch(event.currentTarget.elements.words.value.trim()))}>
    <input key=${words} name="words" type="search" aria-label=${label} placeholder=${label} defaultValue=${words}
      onInput=${typed((text) => text || onSearch(""))} />
  </form>
`;

// Looks again every `ms` while the window is seen, and after a pause of the connection.
export const useLook = (look, ms = 15_000) => {
  const latest = useRef(look);
  latest.current = look;
  useEffect(() => {
    const timer = setInterval(() => document.hidden || latest.current(), ms);
    const stop = onHint((hint) => hint.type === "missed" && latest.current());
    return () => (clearInterval(timer), stop());
  }, []);
};

// A form over `known`, which is read again while someone types. A field that nobody typed in follows it. A field that changed
// on both sides is a clash: it isn't saved until the person chose. {values, set, isDirty, clashes, choose, save, busy, problem, drop}
export const useDraft = (known) => {
  const [mine, setMine] = useState({});
  const { busy, problem, write } = useWrite();
  const changedIn = (thing) => Object.keys(mine).filter((name) => mine[name].value !== thing[name]);
  const clashesIn = (thing) => changedIn(thing).filter((name) => mine[name].from !== thing[name]);
  const changed = changedIn(known);
  useUnsaved(changed.length > 0);
  const drop = (name) => setMine((before) => (name ? Object.fromEntries(Object.entries(before).filter(([each]) => each !== name)) : {}));
  return {
    values: { ...known, ...Object.fromEntries(Object.entries(mine).map(([name, { value }]) => [name, value])) },
    set: (name, value) => setMine((before) => ({ ...before, [name]: { value, from: before[name] ? before[name].from : known[name] } })),
    isDirty: changed.length > 0,
    clashes: clashesIn(known),
    choose: (name, keepsMine) =>
      keepsMine ? setMine((before) => ({ ...before, [name]: { value: before[name].value, from: known[name] } })) : drop(name),
    drop,
    busy,
    problem,
    // `read` shows and returns what is there now; `change` gets the fields that changed. True if it was saved.
    save: async (read, change) => {
      let isSaved = false;
      await write(async () => {
        const now = await read();
        if (clashesIn(now).length) return;
        await change(Object.fromEntries(changedIn(now).map((name) => [name, mine[name].value])));
        setMine({});
        isSaved = true;
      });
      return isSaved;
    },
  };
};

// Shows what somebody else wrote into a field that the person is changing, and asks which to keep.
const Clashes = ({ draft, known, names, by }) => draft.clashes.map((name) => html`
  <div key=${name} class="clash" role="alert">
    <p><b>${by ?? "Someone else"} changed the ${names[name]} while you were typing.</b> Now it's:</p>
    <blockquote>${known[name] || "(empty)"}</blockquote>
    <div class="buttons">
      <${Button} onClick=${() => draft.choose(name, true)}>Keep mine<//><${Button} onClick=${() => draft.choose(name, false)}>Use theirs<//>
    </div>
  </div>
`);

// The form of a draft: `fields` are [name, label, hint, most characters, lines]. A field of one line is an input.
export const DraftForm = ({ draft, known, fields, by, onSave, onCancel }) => html`
  <form class="stack" onSubmit=${(event) => (event.preventDefault(), onSave())}
    onKeyDown=${(event) => event.key === "Enter" && (event.metaKey || event.ctrlKey) && (event.preventDefault(), onSave())}>
    ${fields.map(([name, label, hint, most, lines]) => html`
      <${Field} key=${name} label=${label} hint=${hint}>
        ${lines > 1
          ? html`<textarea rows=${lines} value=${draft.values[name]} maxlength=${most} onInput=${typed((text) => draft.set(name, text))}></textarea>`
          : html`<input value=${draft.values[name]} maxlength=${most} required onInput=${typed((text) => draft.set(name, text))} />`}
      <//>
    `)}
    <${Clashes} draft=${draft} known=${known} names=${Object.fromEntries(fields.map(([name, label]) => [name, label.toLowerCase()]))} by=${by} />
    ${draft.problem && html`<${Problem} problem=${draft.problem} />`}
    <div class="buttons">
      <${Button} kind="main" type="submit" busy=${draft.busy} disabled=${draft.clashes.length > 0}>Save changes<//>
      <${Button} onClick=${onCancel}>Cancel<//>
    </div>
  </form>
`;
