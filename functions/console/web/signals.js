// Signals: the bugs and suggestions that customers report, as a list. A signal's page is in signal.js.
import { html, useEffect, useState } from "./vendor/htm-preact.js";
import { get, post } from "./api.js";
import { useKeys } from "./keys.js";
import { More, sheet, usePages } from "./loading.js";
import { href, open, place } from "./router.js";
import { SignalPage } from "./signal.js";
import { remember, remembered, useCell } from "./store.js";
import { Button, Choice, Dialog, Empty, Field, Problem, say, Tabs, Time, useWrite } from "./ui.js";
import { addressOf, count, KINDS, named, PRIORITIES, PriorityBadge, Search, StatusBadge, STATUSES, typed } from "./work.js";

await sheet("work.css");

const DRAFT = "signal-draft";
const PAUSE_MS = 400;

const All = () => {
  const { query } = useCell(place);
  const filter = Object.fromEntries(["status", "kind", "priority", "q"].map((name) => [name, query.get(name) ?? ""]));
  const pages = usePages("/signals", "signals", filter);
  const [filing, setFiling] = useState(false);
  const narrow = (change) => open(addressOf("/signals", { ...filter, ...change }), { replace: true });
  useKeys([{ key: "c", text: "File a signal", run: () => setFiling(true) }]);
  const isNarrow = filter.kind || filter.priority || filter.q;
  const tabs = [["", "All"], ...STATUSES].map(([status, text]) => [href(addressOf("/signals", { ...filter, status })), text]);
  return html`
    <div class="page-head"><h1>Signals</h1><${Button} kind="main" icon="plus" hotkey="c" onClick=${() => setFiling(true)}>File a signal<//></div>
    <p class="lead">What customers report: each bug and suggestion once, with everybody who wants it solved.</p>
    <${Tabs} label="Status" tabs=${tabs} current=${href(addressOf("/signals", filter))} />
    <div class="filters below">
      <${Search} label="Search signals" words=${filter.q} onSearch=${(q) => narrow({ q })} />
      <${Choice} label="Kind" value=${filter.kind} options=${[["", "All"], ...KINDS]} onChange=${(kind) => narrow({ kind })} />
      <${Choice} label="Priority" value=${filter.priority} options=${[["", "All"], ...PRIORITIES]} onChange=${(priority) => narrow({ priority })} />
    </div>
    ${pages.isDone && !pages.items.length ? html`
      <${Empty} icon="signals" title=${isNarrow || filter.status ? "No signal matches" : "No signals yet"}>
        ${isNarrow || filter.status
          ? html`<p><a href=${href("/signals")}>Show all signals</a></p>`
          : html`<p>When a customer reports a bug or wishes for something, file it from their conversation with <kbd>b</kbd>, or here.</p>`}
      <//>
    ` : html`
      ${pages.items.length > 0 && html`<ul class="rows">
        ${pages.items.map((each) => html`
          <li key=${each.id}><a class="row" href=${href(`/signals/${each.id}`)}>
            <span class="grow">${each.title}
              <small>
                ${named(KINDS, each.kind)} · ${count(each.reporterCount, "customer")} · <${Time} at=${each.filedAt} />
                ${each.codehost && ` · #${each.codehost.number}`}${each.tracker && ` · ${each.tracker.identifier}`}
              </small>
            </span>
            <${PriorityBadge} priority=${each.priority} /><${StatusBadge} status=${each.status} />
          </a></li>
        `)}
      </ul>`}
      <${More} pages=${pages} />
    `}
    ${filing && html`<${File} onClose=${() => setFiling(false)} />`}
  `;
};

// Signals with a similar title, while it is typed: filing the same thing twice splits its reporters.
const useSimilar = (title) => {
  const [signals, setSignals] = useState([]);
  useEffect(() => {
    setSignals([]);
    if (title.trim().length < 4) return undefined;
    let isCurrent = true;
    const look = () => get("/signals/similar", { title: title.trim() }).then((answer) => isCurrent && setSignals(answer.signals), () => {});
    const timer = setTimeout(look, PAUSE_MS);
    return () => ((isCurrent = false), clearTimeout(timer));
  }, [title]);
  return signals;
};

const File = ({ onClose }) => {
  const [values, setValues] = useState({ kind: "bug", title: "", body: "", priority: "medium", ...remembered(DRAFT, {}) });
  const { busy, problem, write } = useWrite();
  const similar = useSimilar(values.title);
  const set = (name) => (value) => {
    const next = { ...values, [name]: value };
    setValues(next);
    remember(DRAFT, next.title || next.body ? next : null);
  };
  const file = async () => {
    await write(async () => {
      const { id } = await post("/signals", { ...values, title: values.title.trim() });
      remember(DRAFT, null);
      say("Filed.");
      open(`/signals/${id}`);
    });
  };
  return html`
    <${Dialog} title="File a signal" onClose=${onClose} onSubmit=${file}
      actions=${html`
        <${Button} onClick=${onClose}>Cancel<//><${Button} kind="main" type="submit" busy=${busy} disabled=${!values.title.trim()}>File signal<//>
      `}>
      ${problem && html`<${Problem} problem=${problem} />`}
      <${Field} label="Title" hint="What happens, or what is wanted">
        <input value=${values.title} maxlength="200" required onInput=${typed(set("title"))} />
      <//>
      ${similar.length > 0 && html`
        <div class="clash" role="status"><p><b>Is it one of these?</b></p>
          <ul>${similar.map((each) => html`
            <li key=${each.id}><a href=${href(`/signals/${each.id}`)}>${each.title}</a> <small>${count(each.reporterCount, "customer")}</small></li>
          `)}</ul>
        </div>
      `}
      <${Field} label="Details" hint="Markdown. What you type is kept in this browser until you file it.">
        <textarea rows="5" value=${values.body} maxlength="10000" onInput=${typed(set("body"))}></textarea>
      <//>
      <div class="buttons">
        <${Choice} label="Kind" value=${values.kind} options=${KINDS} onChange=${set("kind")} />
        <${Choice} label="Priority" value=${values.priority} options=${PRIORITIES} onChange=${set("priority")} />
      </div>
    <//>
  `;
};

export default function Signals({ path: [id] }) {
  return html`<main class="page"><div class="within">${id ? html`<${SignalPage} key=${id} id=${id} />` : html`<${All} />`}</div></main>`;
}
