// One document: its text as it reads, where it is shown, what finds it. `e` opens it to be edited (document_editor.js).
import { html, useEffect, useRef, useState } from "./vendor/htm-preact.js";
import { get, patch, post, remove } from "./api.js";
import { copyLink } from "./copying.js";
import { Editor } from "./document_editor.js";
import { useKeys } from "./keys.js";
import { articleAddress, folderOptions, folders, isPublic, isSynced, loadFolders, pathOf, publishedBy, site, sourceOf } from "./knowledge_data.js";
import { Shown, useLoaded } from "./loading.js";
import { Article } from "./markdown.js";
import { href, open, place } from "./router.js";
import { useCell } from "./store.js";
import { attempt, Badge, Button, Choice, Confirm, Dialog, Field, Menu, Problem, say, Switch, Time, useWrite } from "./ui.js";

const LOOK_MS = 3_000;
const MOST_ALIASES = 50;
const UNITS = [[1_000_000, "MB"], [1_000, "KB"], [1, "bytes"]];

const size = (bytes) => {
  const [unit, name] = UNITS.find(([each]) => bytes >= each) ?? UNITS.at(-1);
  return `${(bytes / unit).toLocaleString(undefined, { maximumFractionDigits: 1 })} ${name}`;
};

// Where a person came from: a conversation whose answer used the document, or the list.
const backPath = (query) => (query.get("conversation")?.startsWith("conv_") ? `/conversations/${query.get("conversation")}` : null);

const DeleteDocument = ({ document, onClose }) => {
  const address = articleAddress(document);
  const run = async () => {
    await remove(`/knowledge/documents/${document.id}?version=${document.version}`);
    loadFolders().catch(() => {});
    say("Document deleted.");
    open("/knowledge", { replace: true });
  };
  return html`
    <${Confirm} title=${`Delete “${document.title}”?`} action="Delete document" run=${run} onClose=${onClose}>
      <p>The agent stops answering from it at once. Answers that it gave stay as they are. You can't undo this.</p>
      ${address && html`<p>Its article leaves the help site. The address says for a year that it's gone.</p>`}
      ${document.source.kind === "crawl" && html`<p>The crawl won't create it again.</p>`}
      ${document.source.kind === "repository" && html`<p>It comes back when its file changes. To remove it for good, delete the file.</p>`}
      ${document.source.kind === "written" && document.source.path && html`<p>The next push of ${document.source.path} creates it again.</p>`}
    <//>
  `;
};

const Addresses = ({ document, change, onClose }) => {
  const [slug, setSlug] = useState(document.slug);
  const [url, setUrl] = useState(document.url ?? "");
  const { busy, problem, write } = useWrite();
  const save = async () => {
    await write(async () => {
      await change({ ...(slug.trim() !== document.slug && { slug: slug.trim() }), ...((url.trim() || null) !== document.url && { url: url.trim() || null }) });
      say("Saved.");
      onClose();
    });
  };
  return html`
    <${Dialog} title="Addresses" onClose=${onClose} onSubmit=${save}
      actions=${html`<${Button} onClick=${onClose}>Cancel<//><${Button} type="submit" kind="main" busy=${busy}>Save changes<//>`}>
      ${problem && html`<${Problem} problem=${problem} />`}
      <${Field} label="Last part of the article's address" hint="The former address leads to the new one.">
        <input maxlength="80" value=${slug} onInput=${(event) => setSlug(event.currentTarget.value)} /><//>
      ${!isSynced(document) && html`<${Field} label="The same page elsewhere"
        hint="If your website has this page, answers link there. Leave it empty otherwise.">
        <input type="url" maxlength="2000" placeholder="https://" value=${url} onInput=${(event) => setUrl(event.currentTarget.value)} /><//>`}
    <//>
  `;
};

const Aliases = ({ document, change, onDocument }) => {
  const [text, setText] = useState("");
  const [problem, setProblem] = useState(null);
  const add = async (event) => {
    event.preventDefault();
    if (!text.trim()) return;
    setProblem(null);
    try {
      onDocument((await post(`/knowledge/documents/${document.id}/aliases`, { alias: text.trim() })).document);
      setText("");
    } catch (error) {
      setProblem(error);
    }
  };
  const drop = (alias) => attempt(() => change({ aliases: document.aliases.filter((each) => each !== alias) }));
  return html`
    <section class="stack" aria-labelledby="aliases">
      <h2 id="aliases">Other words for it</h2>
      <p class="hint">Words and questions that find this document. Nobody reads them.</p>
      ${document.aliases.length > 0 && html`<ul class="aliases">${document.aliases.map((alias) => html`
        <li key=${alias}><span>${alias}</span><${Button} icon="close" kind="quiet" label=${`Remove “${alias}”`} onClick=${() => drop(alias)} /></li>
      `)}</ul>`}
      ${problem && html`<p class="error" role="alert">${problem.message}</p>`}
      ${document.aliases.length < MOST_ALIASES && html`<form onSubmit=${add}><input maxlength="120" aria-label="Add words"
        placeholder="Add words, then Enter" value=${text} onInput=${(event) => setText(event.currentTarget.value)} /></form>`}
    </section>
  `;
};

const Details = ({ document, change, onDocument }) => {
  const [asked, setAsked] = useState(false);
  useCell(folders);
  const address = articleAddress(document);
  const by = publishedBy(document);
  const move = async (folderId) => {
    if (await attempt(() => change({ folderId: folderId === "none" ? null : folderId }), "Moved.")) loadFolders().catch(() => {});
  };
  const publish = (published) => attempt(() => change({ published }), published ? "It's on the help site." : by ? `It stays on the help site with its folder “${by.name}”.` : "It's internal now.");
  const hint = by ? `The folder “${by.name}” is on the help site, with everything in it.` : "Visitors can read it. The agent answers from it either way.";
  return html`
    <aside class="stack large" aria-label="Details">
      <section class="stack">
        <${Switch} label="On the help site" hint=${hint} checked=${document.published} onChange=${publish} />
        ${!useCell(site)?.enabled && isPublic(document) && html`<p class="hint">The help site is off. An admin turns it on in Settings.</p>`}
        ${address && html`<p><a href=${address} target="_blank" rel="noopener">Open the article</a></p>`}
        <${Choice} label="Folder" value=${document.folderId ?? "none"} options=${folderOptions()} onChange=${move} />
      </section>
      <${Aliases} document=${document} change=${change} onDocument=${onDocument} />
      <section class="stack" aria-labelledby="about">
        <div class="buttons spread"><h2 id="about">About</h2><${Button} icon="edit" kind="quiet" onClick=${() => setAsked(true)}>Addresses<//></div>
        <dl class="facts">
          <dt>Source</dt><dd>${sourceOf(document)}</dd>
          ${(document.source.url ?? document.url) && html`<dt>Page</dt><dd><a href=${document.source.url ?? document.url} target="_blank"
            rel="noopener noreferrer">${(document.source.url ?? document.url).replace(/^https?:\/\//, "")}</a></dd>`}
          ${document.source.repo && html`<dt>File</dt><dd>${document.source.repo}/${document.source.path}</dd>`}
          <dt>Changed</dt><dd><${Time} at=${document.updatedAt} /> by ${document.updatedByName ?? document.createdByName}</dd>
          <dt>Created</dt><dd><${Time} at=${document.createdAt} /> by ${document.createdByName}</dd>
          <dt>Version</dt><dd>${document.version}, ${size(document.size)}</dd>
        </dl>
      </section>
      ${asked && html`<${Addresses} document=${document} change=${change} onClose=${() => setAsked(false)} />`}
    </aside>
  `;
};

const State = ({ document }) => {
  if (document.status === "failed") return html`
    <${Problem} problem=${new Error(document.problem ?? "The document couldn't be indexed. Save it again.")} />`;
  if (document.status === "indexing") return html`
    <p class="hint" role="status">The agent learns this text now, usually within seconds. Until then it answers from the former one.</p>`;
  return null;
};

const View = ({ document, set, reload }) => {
  const { query } = useCell(place);
  const [asksDelete, setAsksDelete] = useState(false);
  const text = useRef();
  const back = backPath(query);
  const synced = isSynced(document);
  const edit = () => !synced && open(`/knowledge/${document.id}/edit${location.search}`);
  const heading = query.get("heading");
  const address = articleAddress(document);
  const onDocument = (next) => set({ ...document, ...next });
  const change = async (part) => {
    const answer = await patch(`/knowledge/documents/${document.id}`, part);
    onDocument(answer.document);
    return true;
  };
  useEffect(() => {
    if (document.status !== "indexing") return undefined;
    const timer = setInterval(reload, LOOK_MS);
    return () => clearInterval(timer);
  }, [document.status]);
  useEffect(() => {
    if (!heading) return;
    const found = [...text.current.querySelectorAll(".heading")].find((each) => each.textContent.trim() === heading.trim());
    found?.classList.add("cited");
    found?.scrollIntoView({ block: "start" });
  }, [heading]);
  useKeys([
    { key: "e", text: "Edit the document", run: edit },
    { key: "u", text: back ? "Back to the conversation" : "Back to the list", run: () => open(back ?? "/knowledge") },
  ], [document, back]);
  const items = [
    address && { text: "Open on the help site", icon: "open", run: () => window.open(address, "_blank", "noopener") },
    copyLink(`/knowledge/${document.id}`),
    "-",
    { text: "Delete …", icon: "trash", danger: true, run: () => setAsksDelete(true) },
  ];
  return html`
    <main class="page"><div class="within">
      <p class="crumb">${back ? html`<a href=${href(back)}>Back to the conversation</a>` : html`<a href=${href("/knowledge")}>All documents</a>
        ${pathOf(document.folderId).map((each) => html`<span key=${each.id}> › <a href=${href(`/knowledge?folder=${each.id}`)}>${each.name}</a></span>`)}`}</p>
      <div class="page-head"><h1>${document.title}</h1>
        <${Badge} tone=${isPublic(document) ? "good" : "warn"}>${isPublic(document) ? "public" : "internal"}<//>
        <div class="buttons">${!synced && html`<${Button} kind="main" icon="edit" hotkey="e" onClick=${edit}>Edit<//>`}
          <${Menu} label="More actions" items=${items} /></div>
      </div>
      <div class="document-columns">
        <div class="stack">
          <${State} document=${document} />
          ${synced && html`<p class="hint">This text follows its ${document.source.kind === "crawl" ? "page" : "file"}. Change it there; here you choose its folder, its words and where it's shown.</p>`}
          <article ref=${text} class="document-text"><${Article} text=${document.body} /></article>
        </div>
        <${Details} document=${document} change=${change} onDocument=${onDocument} />
      </div>
      ${asksDelete && html`<${DeleteDocument} document=${document} onClose=${() => setAsksDelete(false)} />`}
    </div></main>
  `;
};

export const Document = ({ id, isEdited }) => {
  const loaded = useLoaded(() => get(`/knowledge/documents/${id}`), [id]);
  const set = (document) => loaded.set({ document });
  if (!loaded.data) return html`<main class="page"><div class="within"><p class="crumb"><a href=${href("/knowledge")}>All documents</a></p>
    <${Shown} loaded=${loaded} lines=${9} /></div></main>`;
  const { document } = loaded.data;
  return isEdited && !isSynced(document)
    ? html`<${Editor} key=${id} document=${document} back=${backPath(place.value.query)} heading=${place.value.query.get("heading")}
      onSaved=${set} />`
    : html`<${View} document=${document} set=${set} reload=${loaded.reload} />`;
};

export const NewDocument = () => {
  const { query } = useCell(place);
  return html`<${Editor} document=${{ id: null, title: query.get("title") ?? "", body: "", version: 0, folderId: query.get("folder"), source: { kind: "written" } }} alias=${query.get("alias")} />`;
};
