// The feedback board's boards, statuses and tags, each list in its order. Saved together, for the version that was read.
import { html, useState } from "./vendor/htm-preact.js";
import { get, patch } from "./api.js";
import { href } from "./router.js";
import { can } from "./session.js";
import { Button, Choice, Problem, say } from "./ui.js";
import { useUnsaved } from "./unsaved.js";
import { count, STATUSES, typed } from "./work.js";

const LISTS = [
  ["boards", "Boards", "Where customers post. On a moderated board, posts wait for your decision.", 1, 10, "board"],
  ["statuses", "Statuses", "The first one is that of new posts. A status that names a signal's follows it.", 1, 20, "status"],
  ["tags", "Tags", "What posts are about.", 0, 100, "tag"],
];

const STALE = new Error("Someone else changed these settings meanwhile. Save again to replace theirs.");

const usedBy = (name, entry) => (name === "boards" ? (entry.public ?? 0) + (entry.pending ?? 0) + (entry.spam ?? 0) : (entry.posts ?? 0));

// What PATCH /board takes of an entry.
const sent = {
  boards: ({ id, name, moderated }) => ({ id, name: name.trim(), moderated }),
  statuses: ({ id, name, signalStatus }) => ({ id, name: name.trim(), signalStatus }),
  tags: ({ id, name }) => ({ id, name: name.trim() }),
};

const body = (lists) => Object.fromEntries(LISTS.map(([name]) => [name, lists[name].map(sent[name])]));

let made = 0;
const keyed = (settings) => Object.fromEntries(LISTS.map(([name]) => [name, settings[name].map((each) => ({ ...each, key: each.id }))]));

export const BoardSettings = ({ settings, showSettings }) => {
  const [lists, setLists] = useState(() => keyed(settings));
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState(null);
  const [version, setVersion] = useState(settings.version);
  const mayChange = can("admin");
  const isDirty = JSON.stringify(body(lists)) !== JSON.stringify(body(settings));
  const isStale = problem?.code === "board_changed";
  useUnsaved(isDirty);
  const take = (next) => {
    showSettings(next);
    setLists(keyed(next));
    setVersion(next.version);
    setProblem(null);
  };
  const save = async (event) => {
    event.preventDefault();
    setBusy(true);
    try {
      take(await patch("/board", { ...body(lists), version }));
      say("Board settings saved.");
    } catch (error) {
      setProblem(error);
      // The next save is for what is there now: the person has been told that it replaces it.
      if (error.code === "board_changed") await get("/board").then((now) => setVersion(now.version), () => {});
    }
    setBusy(false);
  };
  const set = (name) => (entries) => setLists({ ...lists, [name]: entries });
  return html`
    <p class="crumb"><a href=${href("/board")}>Feedback board</a></p>
    <div class="page-head"><h1>Board settings</h1></div>
    ${!mayChange && html`<p class="lead">Only admins can change these settings.</p>`}
    <form onSubmit=${save} class="stack large">
      ${LISTS.map(([name, title, hint, least, most, one]) => html`
        <${Entries} key=${name} name=${name} title=${title} hint=${hint} least=${least} most=${most} one=${one}
          entries=${lists[name]} onChange=${set(name)} mayChange=${mayChange} />
      `)}
      ${mayChange && html`<div class="save-bar">
        ${problem && html`<${Problem} problem=${isStale ? STALE : problem} />`}
        <div class="buttons">
          <${Button} kind="main" type="submit" busy=${busy} disabled=${!isDirty}>Save changes<//>
          ${isStale
            ? html`<${Button} onClick=${async () => take(await get("/board"))}>Load theirs<//>`
            : html`<${Button} disabled=${!isDirty} onClick=${() => take(settings)}>Discard<//>`}
        </div>
      </div>`}
    </form>
  `;
};

const Entries = ({ name, title, hint, least, most, one, entries, onChange, mayChange }) => {
  const change = (index, values) => onChange(entries.map((each, at) => (at === index ? { ...each, ...values } : each)));
  const move = (index, by) => {
    const next = [...entries];
    next.splice(index + by, 0, ...next.splice(index, 1));
    onChange(next);
  };
  const isUsed = (each) => name !== "tags" && usedBy(name, each) > 0;
  const taken = entries.map((each) => each.signalStatus);
  return html`
    <fieldset class="entries-list" disabled=${!mayChange}>
      <legend>${title}</legend>
      <p class="hint">${hint}</p>
      <ol class="rows">
        ${entries.map((each, index) => html`
          <li key=${each.key}>
            <input class="grow" aria-label=${`Name of the ${one}`} value=${each.name} maxlength="60" required
              onInput=${typed((text) => change(index, { name: text }))} />
            ${name === "boards" && html`<label class="check">
              <input type="checkbox" checked=${each.moderated} onChange=${() => change(index, { moderated: !each.moderated })} />Moderated</label>`}
            ${name === "statuses" && html`<${Choice} label="Follows" value=${each.signalStatus ?? ""} disabled=${!mayChange}
              onChange=${(status) => change(index, { signalStatus: status || null })}
              options=${[["", "No signal"], ...STATUSES.filter(([status]) => status === each.signalStatus || !taken.includes(status))]} />`}
            <small>${count(usedBy(name, each), "post")}</small>
            <span class="buttons tightly">
              <${Button} kind="quiet" label=${`Move ${each.name} up`} class="up" icon="down" disabled=${index === 0}
                onClick=${() => move(index, -1)} />
              <${Button} kind="quiet" label=${`Move ${each.name} down`} icon="down" disabled=${index === entries.length - 1}
                onClick=${() => move(index, 1)} />
              <${Button} kind="quiet" icon="trash" disabled=${entries.length <= least || isUsed(each)}
                label=${isUsed(each) ? `${each.name} can't be removed: posts use it` : `Remove ${each.name}`}
                onClick=${() => onChange(entries.filter((_, at) => at !== index))} />
            </span>
          </li>
        `)}
      </ol>
      ${!entries.length && html`<p class="hint">None yet.</p>`}
      ${mayChange && entries.length < most && html`<${Button} icon="plus" kind="quiet"
        onClick=${() => onChange([...entries, { key: `new${(made += 1)}`, name: "", moderated: false, signalStatus: null }])}>Add a ${one}<//>`}
    </fieldset>
  `;
};
