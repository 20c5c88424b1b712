// Writes a document: Markdown at one side, how it reads at the other. What is typed is kept in this browser until it's saved. If a
// teammate saved meanwhile, nothing is overwritten: both changes are joined, or shown for the person to choose.
import { html, useEffect, useMemo, useRef, useState } from "./vendor/htm-preact.js";
import { get, patch, post } from "./api.js";
import { compared, joined } from "./diff.js";
import { useKeys } from "./keys.js";
import { folderOptions, loadFolders } from "./knowledge_data.js";
import { Article } from "./markdown.js";
import { href, open, unsaved } from "./router.js";
import { remember, remembered } from "./store.js";
import { Button, Choice, Problem, say, Switch, Time } from "./ui.js";
import { useUnsaved } from "./unsaved.js";

const MOST_BYTES = 900_000;
const PREVIEW_MS = 120;
const KEEP_MS = 500;

const bytes = new TextEncoder();

// Follows a value a moment later, so that typing in a long text stays fluent.
const useLater = (value, ms) => {
  const [later, setLater] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setLater(value), value.length > 50_000 ? 5 * ms : ms);
    return () => clearTimeout(timer);
  }, [value]);
  return later;
};

export const Difference = ({ before, after }) => {
  const lines = compared(before, after);
  if (!lines.some(([mark]) => mark === "+" || mark === "-")) return html`<p class="hint">The texts are the same.</p>`;
  return html`<pre class="difference" tabindex="0" aria-label="What differs">${lines.map(([mark, text], index) => {
    const line = mark === "…" ? "⋯" : text || " ";
    if (mark === "-") return html`<del key=${index}><span class="visually-hidden">removed: </span>${line}</del>`;
    return mark === "+" ? html`<ins key=${index}><span class="visually-hidden">added: </span>${line}</ins>` : html`<span key=${index}>${line}</span>`;
  })}</pre>`;
};

const Conflict = ({ theirs, mine, base, onUse, onOverwrite }) => {
  const title = base && (mine.title === base.title ? theirs.title : theirs.title === base.title || theirs.title === mine.title ? mine.title : null);
  const body = title && joined(base.body, mine.body, theirs.body);
  return html`
    <section class="conflict" role="alert">
      <p><b>${theirs.updatedByName ?? "A teammate"} saved this document while you wrote.</b> Nothing was overwritten, and your text is below.</p>
      <div class="buttons">
        ${body && html`<${Button} kind="main"
          onClick=${() => onUse({ title, body }, "Both changes are in the text now. Look through it, then save.")}>Join both changes<//>`}
        <${Button} onClick=${onOverwrite}>Save mine instead<//>
        <${Button} onClick=${() => onUse({ title: theirs.title, body: theirs.body }, "This is the saved text. Yours is gone.")}>Discard mine<//>
      </div>
      <details open=${!body}><summary>What your text changes in the saved one</summary>
        ${theirs.title !== mine.title && html`<p>Title: <del>${theirs.title}</del> <ins>${mine.title}</ins></p>`}
        <${Difference} before=${theirs.body} after=${mine.body} />
      </details>
    </section>
  `;
};

// Puts the cursor behind a heading of the text, and shows it.
const showHeading = (box, heading) => {
  const lines = box.value.split("\n");
  const at = lines.findIndex((line) => /^#{1,6}\s/.test(line) && line.replace(/^#+\s+|\s*#*$/g, "").replace(/[*_`]/g, "") === heading.replace(/[*_`]/g, ""));
  if (at < 0) return;
  const offset = lines.slice(0, at + 1).join("\n").length;
  box.setSelectionRange(offset, offset);
  box.scrollTop = (box.scrollHeight * lines.slice(0, at).join("\n").length) / Math.max(1, box.value.length) - 40;
};

export const Editor = ({ document, back, heading, alias, onSaved }) => {
  const isNew = !document.id;
  const kept = `document:${document.id ?? "new"}`;
  const [restored, setRestored] = useState(() => remembered(kept));
  const [base, setBase] = useState(() => restored?.base ?? { title: document.title, body: document.body, version: document.version });
  const [text, setText] = useState(() => ({ title: document.title || restored?.title || "", body: restored?.body ?? document.body, ...(!isNew && restored && { title: restored.title }) }));
  const [place, setPlace] = useState({ folderId: document.folderId ?? "none", published: false });
  const [conflict, setConflict] = useState(null);
  const [problem, setProblem] = useState(null);
  const [busy, setBusy] = useState(null);
  const [pane, setPane] = useState("write");
  const box = useRef();
  const shown = useRef();
  const leaving = useRef(false);
  const preview = useLater(text.body, PREVIEW_MS);
  const reading = useMemo(() => html`<${Article} text=${preview} />`, [preview]);
  const isDirty = text.title !== base.title || text.body !== base.body;
  const away = isNew ? "/knowledge" : `/knowledge/${document.id}${location.search}`;
  useUnsaved(isDirty, "Your changes aren't saved. This browser keeps them for you. Leave the editor?");
  const tooLarge = text.body.length > MOST_BYTES / 4 && bytes.encode(text.body).length > MOST_BYTES;

  useEffect(() => {
    box.current.setSelectionRange(0, 0);
    (isNew && !text.title ? window.document.getElementById("document-title") : box.current).focus();
    if (heading) showHeading(box.current, heading);
  }, []);
  useEffect(() => {
    const timer = setTimeout(() => leaving.current || remember(kept, isDirty ? { ...text, base, at: Date.now() } : null), KEEP_MS);
    return () => clearTimeout(timer);
  }, [text, base]);

  const type = (part) => {
    setProblem(null);
    setText((before) => ({ ...before, ...part }));
  };
  const use = (next, saying) => {
    setBase({ title: conflict.title, body: conflict.body, version: conflict.version });
    setText(next);
    setConflict(null);
    say(saying, { ms: 6_000 });
  };
  const leave = (to) => {
    leaving.current = true;
    unsaved.question = null;
    remember(kept, null);
    open(to, { replace: true });
  };
  const create = async () => {
    const { id } = await post("/knowledge/documents", { ...text, folderId: place.folderId === "none" ? null : place.folderId, published: place.published });
    if (alias) await post(`/knowledge/documents/${id}/aliases`, { alias }).catch(() => {});
    loadFolders().catch(() => {});
    say("Document added. The agent answers from it in a moment.");
    leave(`/knowledge/${id}`);
  };
  const change = async (version, to) => {
    const parts = { ...(text.title !== base.title && { title: text.title }), ...(text.body !== base.body && { body: text.body }) };
    const answer = await patch(`/knowledge/documents/${document.id}`, { ...parts, version });
    onSaved({ ...document, ...answer.document, body: text.body });
    say("Saved. The agent answers from it in a moment.");
    leave(to);
  };
  const save = async (to = away, version = base.version) => {
    if (busy || tooLarge) return;
    if (!isDirty && !isNew) return leave(to);
    setBusy(to);
    setProblem(null);
    try {
      await (isNew ? create() : change(version, to));
      return;
    } catch (error) {
      if (error.code === "doc_changed") await get(`/knowledge/documents/${document.id}`).then((answer) => setConflict(answer.document), setProblem);
      else setProblem(error);
    }
    setBusy(null);
  };
  const discard = () => {
    setText({ title: document.title, body: document.body });
    setBase({ title: document.title, body: document.body, version: document.version });
    setRestored(null);
  };
  const scroll = () => {
    const { scrollTop, scrollHeight, clientHeight } = box.current;
    const other = shown.current;
    if (other) other.scrollTop = (scrollTop / Math.max(1, scrollHeight - clientHeight)) * (other.scrollHeight - other.clientHeight);
  };
  useKeys([
    { key: "mod+s", text: "Save the document", typing: true, run: () => save() },
    { key: "mod+Enter", text: back ? "Save and go back to the conversation" : undefined, typing: true, run: () => save(back ?? away) },
  ], [text, base, busy, place]);
  return html`
    <main class="editor" data-pane=${pane}>
      <header class="editor-head">
        <h1 class="visually-hidden">${isNew ? "New document" : `Edit ${document.title}`}</h1>
        <input id="document-title" class="editor-title" aria-label="Title" placeholder="Title" maxlength="120" value=${text.title}
          onInput=${(event) => type({ title: event.currentTarget.value })} />
        <div class="buttons">
          <span class="hint" role="status">${isDirty ? "Not saved yet" : ""}</span>
          <a class="button" href=${href(back && !isDirty ? back : away)}>${isDirty ? "Close" : "Cancel"}</a>
          ${back && html`<${Button} busy=${busy === away} onClick=${() => save()} hotkey="Ctrl S">Save<//>`}
          <${Button} kind="main" icon="check" busy=${busy === (back ?? away)} disabled=${tooLarge || !text.title.trim() || !text.body.trim()}
            onClick=${() => save(back ?? away)} hotkey=${back ? "Ctrl Enter" : "Ctrl S"}>
              ${isNew ? "Add document" : back ? "Save and go back" : "Save changes"}<//>
        </div>
      </header>
      ${isNew && html`<div class="editor-place">
        <${Choice} label="Folder" value=${place.folderId} options=${folderOptions()} onChange=${(folderId) => setPlace({ ...place, folderId })} />
        <${Switch} label="On the help site" checked=${place.published} onChange=${(published) => setPlace({ ...place, published })} />
      </div>`}
      ${restored && isDirty && html`<p class="conflict"><span>Your unsaved changes of <${Time} at=${restored.at} full /> are back.</span>
        <${Button} onClick=${discard}>Discard them<//></p>`}
      ${document.source.kind === "written" && document.source.path && html`
        <p class="conflict"><span>This is a copy of the file <code>
          ${document.source.path}</code>. Change the file, too, or the next push reports a conflict.</span></p>`}
      ${problem && html`<${Problem} problem=${problem} />`}
      ${tooLarge && html`<${Problem} problem=${new Error("The text is larger than 900 KB. Split it into several documents.")} />`}
      ${conflict && html`<${Conflict} theirs=${conflict} mine=${text} base=${restored && !restored.base ? null : base} onUse=${use}
        onOverwrite=${() => save(away, conflict.version)} />`}
      <div class="editor-panes" role="group" aria-label="Show">
        <button type="button" aria-pressed=${String(pane === "write")} onClick=${() => setPane("write")}>Write</button>
        <button type="button" aria-pressed=${String(pane === "read")} onClick=${() => setPane("read")}>Preview</button>
      </div>
      <div class="editor-body">
        <textarea ref=${box} aria-label="Text in Markdown" spellcheck="true" value=${text.body}
          onInput=${(event) => type({ body: event.currentTarget.value })} onScroll=${scroll}
          placeholder=${"# Ask in the heading\n\nAnswer in the first sentence. Use your customers' words."}></textarea>
        <div ref=${shown} class="editor-preview document-text" tabindex="0" role="region" aria-label="Preview">
          ${preview.trim() ? reading
            : html`<p class="hint">The preview appears here. Each section should answer one question.</p>`}
        </div>
      </div>
    </main>
  `;
};
