// Crawls: websites whose pages become documents, how their latest run goes, and what became of each address.
import { html, useEffect, useState } from "./vendor/htm-preact.js";
import { get, post, remove } from "./api.js";
import { useKeys } from "./keys.js";
import { folderOptions, loadFolders, pathOf } from "./knowledge_data.js";
import { More, usePages } from "./loading.js";
import { href, open } from "./router.js";
import { attempt, Badge, Button, Choice, Confirm, Dialog, Empty, Field, Loading, Problem, say, Time, useWrite } from "./ui.js";

const LOOK_MS = 3_000;
const MOST_PAGES = 500;
const REFRESHES = [["never", "Only when you run it"], ["daily", "Every day"], ["weekly", "Every week"]];
const STATUSES = { running: ["info", "running"], finished: ["good", "finished"], stopped: ["warn", "stopped"], failed: ["bad", "failed"] };
const OUTCOMES = {
  pending: "waits", created: "new document", updated: "changed", unchanged: "unchanged", removed: "document removed", not_found: "not found", redirected: "redirects elsewhere",
  duplicate: "same as another page", noindex: "asks not to be kept", disallowed: "excluded by robots.txt", not_a_page: "not a page", empty: "no text", out_of_scope: "out of scope",
  document_deleted: "its document was deleted here", other_crawl: "belongs to another crawl", too_large: "too large", unreadable: "can't be read", unreachable: "no answer",
};
const COUNTS = [["created", "new"], ["updated", "changed"], ["unchanged", "unchanged"], ["removed", "removed"], ["skipped", "skipped"], ["failed", "failed"]];

const plain = (url) => url.replace(/^https?:\/\//, "");
const globs = (text) => text.split("\n").map((line) => line.trim()).filter(Boolean);

const CrawlForm = ({ crawl, onDone, onClose }) => {
  const [form, setForm] = useState({
    url: crawl?.url ?? "", include: (crawl?.include ?? []).join("\n"), exclude: (crawl?.exclude ?? []).join("\n"),
    maxPages: crawl?.maxPages ?? 100, folderId: crawl?.folderId ?? "none", refresh: crawl?.refresh ?? "weekly",
  });
  const [first] = useState(JSON.stringify(form));
  const { busy, problem, write } = useWrite();
  const set = (part) => setForm({ ...form, ...part });
  const close = () => (JSON.stringify(form) === first || confirm("Discard what you typed?")) && onClose();
  const submit = async () => {
    await write(async () => {
      const { id } = await post("/knowledge/crawls", {
        ...form, url: form.url.trim(), include: globs(form.include), exclude: globs(form.exclude), maxPages: Number(form.maxPages), folderId: form.folderId === "none" ? null : form.folderId,
      });
      say("The crawl runs.");
      onClose();
      onDone(id);
    });
  };
  return html`
    <${Dialog} title=${crawl ? "Change the crawl" : "Crawl a website"} onClose=${close} onSubmit=${submit}
      actions=${html`<${Button} onClick=${close}>Cancel<//><${Button} type="submit" kind="main" busy=${busy} disabled=${!form.url.trim()}>
        ${crawl ? "Save and run" : "Start the crawl"}<//>`}>
      ${problem && html`<${Problem} problem=${problem} />`}
      <${Field} label="Begin at" hint="Reads this page and those below its path. Each page becomes a document.">
        <input type="url" autofocus required maxlength="512" placeholder="https://www.example.com/docs" readonly=${Boolean(crawl)} value=${form.url}
          onInput=${(event) => set({ url: event.currentTarget.value })} /><//>
      <div class="columns">
        <${Field} label="At most pages"><input type="number" min="1" max=${MOST_PAGES} required value=${form.maxPages}
          onInput=${(event) => set({ maxPages: event.currentTarget.value })} /><//>
        <${Choice} label="Again" value=${form.refresh} options=${REFRESHES} onChange=${(refresh) => set({ refresh })} />
      </div>
      <${Choice} label="Folder of new documents" value=${form.folderId} options=${folderOptions()} onChange=${(folderId) => set({ folderId })} />
      <details open=${Boolean(form.include || form.exclude)}><summary>Leave pages out</summary><div class="stack">
        <${Field} label="Only these paths" hint="One on each line; * stands for any characters.">
          <textarea rows="2" placeholder="/docs/guides/*" value=${form.include} onInput=${(event) => set({ include: event.currentTarget.value })}></textarea><//>
        <${Field} label="Not these paths"><textarea rows="2" placeholder="/docs/archive/*" value=${form.exclude}
          onInput=${(event) => set({ exclude: event.currentTarget.value })}></textarea><//>
      </div></details>
      ${crawl && html`<p class="hint">Documents of pages that the new settings leave out are deleted.</p>`}
    <//>
  `;
};

const DeleteCrawl = ({ crawl, onClose }) => {
  const [documents, setDocuments] = useState("keep");
  const run = async () => {
    await remove(`/knowledge/crawls/${crawl.id}?documents=${documents}`);
    loadFolders().catch(() => {});
    say("Crawl deleted.");
    open("/knowledge/crawls", { replace: true });
  };
  return html`
    <${Confirm} title=${`Delete the crawl of ${plain(crawl.url)}?`} action=${documents === "keep" ? "Delete crawl" : "Delete crawl and documents"}
      run=${run} onClose=${onClose}>
      <${Choice} label="Its documents" value=${documents} options=${[["keep", "stay, and can be edited here"], ["delete", "are deleted, too"]]}
        onChange=${setDocuments} />
      ${documents === "delete" && html`<p>The agent stops answering from them. You can't undo this.</p>`}
    <//>
  `;
};

const Progress = ({ crawl }) => {
  const { found, pending } = crawl.counts;
  const done = found - pending;
  return html`
    ${crawl.status === "running" && html`<div class="crawl-progress"><progress max=${found || 1} value=${found ? done : undefined} aria-label="Pages read"></progress>
      <span class="hint" role="status">${found ? `${done} of ${found} pages read` : "Looking for pages …"}</span></div>`}
    <p class="buttons">${COUNTS.filter(([name]) => crawl.counts[name] > 0).map(([name, text]) => html`<${Badge} key=${name}
      tone=${name === "failed" ? "bad" : name === "created" ? "good" : "plain"}>${crawl.counts[name].toLocaleString()} ${text}<//>`)}</p>
  `;
};

const refreshed = (crawl) => (crawl.nextRunAt ? html`runs again in <${Time} at=${crawl.nextRunAt} />`
  : REFRESHES.find(([value]) => value === crawl.refresh)[1].toLowerCase());

const useWatch = (isRunning, reload) => useEffect(() => {
  if (!isRunning) return undefined;
  const timer = setInterval(reload, LOOK_MS);
  return () => clearInterval(timer);
}, [isRunning]);

export const Crawls = () => {
  const pages = usePages("/knowledge/crawls", "crawls");
  const [adds, setAdds] = useState(false);
  useWatch(pages.items.some((each) => each.status === "running"), pages.reload);
  return html`
    <div class="buttons spread list-filter"><p class="hint">Pages of your website become documents, and follow them.</p>
      <${Button} icon="plus" onClick=${() => setAdds(true)}>Crawl a website<//></div>
    ${pages.isDone && !pages.items.length && !pages.problem
      ? html`<${Empty} icon="open" title="No crawls yet">
        <p>If your help already is on a website, the agent can read it there. It takes a second for each page.</p><//>`
      : html`${pages.items.length > 0 && html`<ul class="rows">${pages.items.map((each) => html`
          <li key=${each.id}><a class="row" href=${href(`/knowledge/crawls/${each.id}`)}>
            <span class="grow"><b>${plain(each.url)}</b><small>${refreshed(each)}</small></span>
            <small>${each.status === "running" ? `${each.counts.found - each.counts.pending} of ${each.counts.found} pages` : `${each.counts.found} pages`}</small>
            <${Badge} tone=${STATUSES[each.status][0]}>${STATUSES[each.status][1]}<//>
          </a></li>
        `)}</ul>`}<${More} pages=${pages} />`}
    ${adds && html`<${CrawlForm} onDone=${(id) => open(`/knowledge/crawls/${id}`)} onClose=${() => setAdds(false)} />`}
  `;
};

export const Crawl = ({ id }) => {
  const [state, setState] = useState({ crawl: null, problem: null });
  const [asked, setAsked] = useState(null);
  const pages = usePages(`/knowledge/crawls/${id}`, "addresses");
  const { crawl } = state;
  const reload = () => get(`/knowledge/crawls/${id}`, { limit: 1 }).then((answer) => setState({ crawl: answer.crawl, problem: null }), (problem) => setState((before) => ({ ...before, problem })));
  useEffect(() => void reload(), [id]);
  useWatch(crawl?.status === "running", () => (reload(), pages.items.length <= 50 && pages.reload()));
  useEffect(() => {
    if (crawl && crawl.status !== "running") pages.reload();
  }, [crawl?.status]);
  const run = async () => (await attempt(() => post(`/knowledge/crawls/${id}/run`), "The crawl runs.")) && reload();
  useKeys([{ key: "u", text: "Back to the crawls", run: () => open("/knowledge/crawls") }]);
  const crumb = html`<p class="crumb"><a href=${href("/knowledge/crawls")}>All crawls</a></p>`;
  if (!crawl) return html`${crumb}${state.problem ? html`<${Problem} problem=${state.problem} retry=${reload} />` : html`<${Loading} />`}`;
  const folder = pathOf(crawl.folderId).map((each) => each.name).join(" › ");
  return html`
    ${crumb}
    <div class="page-head"><h1 class="crawl-url">${plain(crawl.url)}</h1><${Badge} tone=${STATUSES[crawl.status][0]}>${STATUSES[crawl.status][1]}<//>
      <div class="buttons">
        <${Button} kind="main" disabled=${crawl.status === "running"} onClick=${run}>Run now<//>
        <${Button} icon="edit" disabled=${crawl.status === "running"} onClick=${() => setAsked("change")}>Change<//>
        <${Button} kind="danger" icon="trash" onClick=${() => setAsked("delete")}>Delete<//>
      </div>
    </div>
    <div class="stack large">
      <div class="stack">
        ${crawl.problem && html`<${Problem} problem=${new Error(crawl.problem)} />`}
        ${crawl.limitReached && html`
          <p class="hint">Some pages were left out, because the crawl reads at most ${crawl.maxPages.toLocaleString()}.</p>`}
        <${Progress} crawl=${crawl} />
        <dl class="facts">
          <dt>Started</dt><dd><${Time} at=${crawl.startedAt} full /></dd>
          ${crawl.finishedAt && html`<dt>Ended</dt><dd><${Time} at=${crawl.finishedAt} full /></dd>`}
          <dt>Again</dt><dd>${refreshed(crawl)}</dd>
          <dt>Folder</dt><dd>${folder || "none"}</dd>
          ${crawl.include.length > 0 && html`<dt>Only</dt><dd>${crawl.include.join(", ")}</dd>`}
          ${crawl.exclude.length > 0 && html`<dt>Not</dt><dd>${crawl.exclude.join(", ")}</dd>`}
        </dl>
      </div>
      <section class="stack" aria-labelledby="addresses"><h2 id="addresses">Addresses of the latest run</h2>
        ${pages.isDone && !pages.items.length
          ? html`<p class="hint">${crawl.status === "running" ? "None yet." : "None. Addresses are kept for 7 days after a run."}</p>`
          : html`<ul class="rows">${pages.items.map((each) => html`
            <li key=${each.url}><span class="grow">${plain(each.url)}${each.detail && html`<small>${each.detail}</small>`}</span>
              ${each.documentId && html`<a href=${href(`/knowledge/${each.documentId}`)}>Document</a>`}
              <${Badge} tone=${each.outcome === "unreachable" || each.outcome === "unreadable" ? "bad" : each.outcome === "created" ? "good" : "plain"}>${OUTCOMES[each.outcome] ?? each.outcome}<//></li>
          `)}</ul><${More} pages=${pages} />`}
      </section>
    </div>
    ${asked === "change" && html`<${CrawlForm} crawl=${crawl} onDone=${reload} onClose=${() => setAsked(null)} />`}
    ${asked === "delete" && html`<${DeleteCrawl} crawl=${crawl} onClose=${() => setAsked(null)} />`}
  `;
};
