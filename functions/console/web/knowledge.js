// Knowledge: the documents that the agent answers from and the help site shows, in folders; what it should learn, and crawls.
import { html, useEffect, useRef, useState } from "./vendor/htm-preact.js";
import { Crawl, Crawls } from "./crawls.js";
import { Document, NewDocument } from "./document.js";
import { Folders } from "./folders.js";
import { Icon } from "./icons.js";
import { useKeys } from "./keys.js";
import { folders, isPublic, loadFolders, loadSite, pathOf, sourceOf } from "./knowledge_data.js";
import { More, sheet, usePages } from "./loading.js";
import { href, open, place } from "./router.js";
import { SearchForm } from "./search_form.js";
import { Searches } from "./searches.js";
import { useCell } from "./store.js";
import { Suggestion, Suggestions } from "./suggestions.js";
import { attempt, Badge, Choice, Empty, Loading, Tabs, Time } from "./ui.js";

await sheet("knowledge.css");

const STATUSES = [["", "All states"], ["ready", "Ready"], ["indexing", "Indexing"], ["failed", "Failed"]];
const SOURCES = [["", "All sources"], ["written", "Written"], ["suggestion", "From suggestions"], ["crawl", "Crawled"], ["repository", "From repositories"]];
const TABS = [["", "Documents"], ["/suggestions", "Suggestions"], ["/searches", "Searches"], ["/crawls", "Crawls"]];

const Row = ({ document, showsFolder }) => html`
  <li><a class="row" href=${href(`/knowledge/${document.id}`)}>
    <span class="grow"><b>${document.title}</b>
      <small>${[showsFolder && pathOf(document.folderId).map((each) => each.name).join(" › "), document.source.kind !== "written" && sourceOf(document)].filter(Boolean).join(" · ")}</small>
    </span>
    ${document.status !== "ready" && html`<${Badge} tone=${document.status === "failed" ? "bad" : "info"}>${document.status}<//>`}
    ${!isPublic(document) && html`<${Badge} tone="warn">internal<//>`}
    <small class="row-time"><span class="visually-hidden">changed </span><${Time} at=${document.updatedAt} /></small>
  </a></li>
`;

// The address of the list with other parameters; "" removes one.
const listed = (query, changes) => {
  const next = new URLSearchParams(query);
  for (const [name, value] of Object.entries(changes)) if (value) next.set(name, value); else next.delete(name);
  return `/knowledge${next.size ? `?${next}` : ""}`;
};

const Nothing = ({ isFiltered, newPath }) => isFiltered
  ? html`<${Empty} icon="search" title="No document matches"><p>Try fewer words, or look in all folders.</p><p>
    <a href=${href("/knowledge")}>Show all documents</a></p><//>`
  : html`<${Empty} icon="knowledge" title="No documents here yet">
      <p>The agent answers from documents. Write the first one, crawl your website, or push a folder of Markdown files with the command line.</p>
      <p><a class="button main" href=${href(newPath)}>Write a document</a></p>
    <//>`;

const Documents = () => {
  const { query } = useCell(place);
  const folder = query.get("folder") ?? "";
  const filters = { q: query.get("q") ?? "", status: query.get("status") ?? "", source: query.get("source") ?? "" };
  const pages = usePages("/knowledge/documents", "documents", { ...filters, folderId: folder });
  const input = useRef();
  const newPath = `/knowledge/new${folder && folder !== "none" ? `?folder=${folder}` : ""}`;
  const filter = (changes) => open(listed(query, changes), { replace: true });
  const deleted = (gone) => (folder === gone.id ? filter({ folder: gone.parentId }) : pages.reload());
  const name = folder === "none" ? "No folder" : pathOf(folder).at(-1)?.name;
  useKeys([
    { key: "/", text: "Search documents", run: () => input.current.focus() },
    { key: "n", text: "Write a document", run: () => open(newPath) },
  ], [newPath]);
  return html`
    <div class="library">
      <${Folders} current=${folder} address=${(id) => href(listed(query, { folder: id }))} onDeleted=${deleted} />
      <section aria-label=${name ? `Documents in ${name}` : "All documents"}>
        <div class="library-head">
          <${SearchForm} class="grow" label="Search documents" placeholder="Search documents" words=${filters.q} input=${input}
            onSearch=${(text) => filter({ q: text })} />
          <${Choice} hidden label="State" value=${filters.status} options=${STATUSES} onChange=${(status) => filter({ status })} />
          <${Choice} hidden label="Source" value=${filters.source} options=${SOURCES} onChange=${(source) => filter({ source })} />
        </div>
        ${pages.isDone && !pages.items.length
          ? html`<${Nothing} isFiltered=${Object.values(filters).some(Boolean)} newPath=${newPath} />`
          : html`
            ${pages.items.length > 0 && html`<ul class="rows">${pages.items.map((each) => html`<${Row} key=${each.id} document=${each}
              showsFolder=${!folder || filters.q} />`)}</ul>`}
            <${More} pages=${pages} />
          `}
      </section>
    </div>
  `;
};

const LISTS = { suggestions: Suggestions, searches: Searches, crawls: Crawls };

const Lists = ({ name }) => {
  const folder = useCell(place).query.get("folder");
  const newPath = `/knowledge/new${folder && folder !== "none" ? `?folder=${folder}` : ""}`;
  return html`
    <div class="page-head"><h1>Knowledge</h1><a class="button main" href=${href(newPath)}><${Icon} name="plus" /><span>New document</span></a></div>
    <${Tabs} label="Knowledge" tabs=${TABS.map(([path, text]) => [href(`/knowledge${path}`), text])}
      current=${href(`/knowledge${name ? `/${name}` : ""}`)} />
    <div class="under-tabs"><${LISTS[name] ?? Documents} /></div>
  `;
};

export default function Knowledge({ path: [first, second] }) {
  const known = useCell(folders);
  const [wasTried, setTried] = useState(false);
  useEffect(() => {
    attempt(loadFolders).then(() => setTried(true));
    loadSite().catch(() => {});
  }, []);
  if (!known && !wasTried) return html`<main class="page"><${Loading} /></main>`;
  if (first === "new") return html`<${NewDocument} />`;
  if (first && !LISTS[first]) return html`<${Document} key=${first} id=${first} isEdited=${second === "edit"} />`;
  const one = second && { suggestions: Suggestion, crawls: Crawl }[first];
  return html`<main class="page"><div class="within">${one ? html`<${one} key=${second} id=${second} />` : html`<${Lists} name=${first} />`}</div>
    </main>`;
}
