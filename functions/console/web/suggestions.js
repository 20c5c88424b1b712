// What the agent suggests to add to the knowledge base, from answers of the team. Nothing is written until a person accepts it.
import { html, useState } from "./vendor/htm-preact.js";
import { get, post } from "./api.js";
import { copy } from "./copying.js";
import { Difference } from "./document_editor.js";
import { useKeys } from "./keys.js";
import { folderOptions, loadFolders } from "./knowledge_data.js";
import { More, Shown, useLoaded, usePages } from "./loading.js";
import { Article } from "./markdown.js";
import { href, open, place, unsaved } from "./router.js";
import { memberName } from "./session.js";
import { useCell } from "./store.js";
import { Badge, Button, Choice, Empty, Field, Problem, say, Time } from "./ui.js";
import { useUnsaved } from "./unsaved.js";

const STATUSES = [["pending", "To review"], ["accepted", "Accepted"], ["dismissed", "Dismissed"]];
const KINDS = { new: ["good", "new document"], change: ["info", "change"], alias: ["plain", "search words"] };

const named = (each) => (each.kind === "alias" ? `“${each.alias}” finds “${each.title}”` : each.title || "Emptied by an erasure");

export const Suggestions = () => {
  const status = useCell(place).query.get("status") ?? "pending";
  const pages = usePages("/knowledge/suggestions", "suggestions", { status });
  const list = (next) => open(`/knowledge/suggestions${next === "pending" ? "" : `?status=${next}`}`, { replace: true });
  return html`
    <div class="buttons spread list-filter"><p class="hint">From answers of your team to questions that the agent couldn't answer.</p>
      <${Choice} label="Show" value=${status} options=${STATUSES} onChange=${list} /></div>
    ${pages.isDone && !pages.items.length
      ? html`<${Empty} icon="knowledge" title=${status === "pending" ? "Nothing to review" : "None yet"}>
          <p>When someone on your team answers what the agent couldn't, the answer appears here as a suggestion.</p><//>`
      : html`${pages.items.length > 0 && html`<ul class="rows">${pages.items.map((each) => html`
          <li key=${each.id}><a class="row" href=${href(`/knowledge/suggestions/${each.id}`)}>
            <span class="grow"><b>${named(each)}</b>
              ${each.conversationSubject && each.conversationSubject !== each.title && html`<small>from “${each.conversationSubject}”</small>`}</span>
            ${each.searches > 0 && html`<${Badge} tone="warn">searched ${each.searches.toLocaleString()} times<//>`}
            ${each.evidence.length > 1 && html`<${Badge}>${each.evidence.length} questions<//>`}
            <${Badge} tone=${KINDS[each.kind][0]}>${KINDS[each.kind][1]}<//><small><${Time} at=${each.suggestedAt} /></small>
          </a></li>
        `)}</ul>`}<${More} pages=${pages} />`}
  `;
};

const Evidence = ({ suggestion }) => suggestion.evidence.length > 0 && html`
  <section class="stack" aria-labelledby="evidence">
    <h2 id="evidence">${suggestion.evidence.length > 1 ? "The questions that it answers" : "The question that it answers"}</h2>
    <ul class="evidence">${suggestion.evidence.map((each) => html`
      <li key=${each.conversationId}><a href=${href(`/conversations/${each.conversationId}`)}>${each.question}</a> <small><${Time} at=${each.at} />
        </small></li>
    `)}</ul>
    ${suggestion.searches > 0 && html`
      <p class="hint">Visitors of the help site searched for this ${suggestion.searches.toLocaleString()} times in the last 90 days and found nothing.</p>`}
  </section>
`;

const Decided = ({ suggestion }) => html`
  <p><${Badge} tone=${suggestion.status === "accepted" ? "good" : "plain"}>${suggestion.status}<//>
    ${suggestion.decidedAt && html` <${Time}
      at=${suggestion.decidedAt} />`} by ${suggestion.decidedBy?.startsWith("usr_") ? memberName(suggestion.decidedBy) : (suggestion.decidedByName ?? "a teammate")}.
    ${suggestion.documentId && html` <a href=${href(`/knowledge/${suggestion.documentId}`)}>Open the document</a>`}</p>
  ${suggestion.answersNow && html`
    <p class="hint">The agent now finds the answer to ${suggestion.answersNow.answered} of ${suggestion.answersNow.of} questions here.</p>`}
  <div class="document-text"><${Article} text=${suggestion.body} /></div>
`;

const Texts = ({ suggestion, form, set, target }) => html`
  <${Field} label="Title"><input maxlength="120" value=${form.title} onInput=${(event) => set({ title: event.currentTarget.value })} /><//>
  ${suggestion.kind === "new" && html`<${Choice} label="Folder" value=${form.folderId} options=${folderOptions()}
    onChange=${(folderId) => set({ folderId })} />`}
  ${target && html`<details open><summary>What changes in “${target.title}”</summary><${Difference} before=${target.body} after=${form.body} />
    </details>`}
  <div class="suggestion-panes">
    <${Field} label="Text"><textarea rows="14" value=${form.body} onInput=${(event) => set({ body: event.currentTarget.value })}></textarea><//>
    <div><p class="label">Preview</p><div class="document-text suggestion-preview" tabindex="0" role="region" aria-label="Preview">
      <${Article} text=${form.body} /></div></div>
  </div>
`;

const Review = ({ suggestion, target, reload }) => {
  const [form, setForm] = useState({ title: suggestion.title, body: suggestion.body, alias: suggestion.alias ?? "", folderId: target?.folderId ?? "none" });
  const [busy, setBusy] = useState(null);
  const [problem, setProblem] = useState(null);
  const isAlias = suggestion.kind === "alias";
  const isEdited = ["title", "body", "alias"].some((name) => form[name] !== (suggestion[name] ?? ""));
  const set = (part) => setForm((before) => ({ ...before, ...part }));
  useUnsaved(isEdited, "Your edits of this suggestion aren't saved. Leave it?");
  const next = async () => {
    unsaved.question = null;
    const answer = await get("/knowledge/suggestions", { status: "pending", limit: 2 }).catch(() => null);
    const other = answer?.suggestions.find((each) => each.id !== suggestion.id);
    open(other ? `/knowledge/suggestions/${other.id}` : "/knowledge/suggestions", { replace: true });
  };
  const decide = async (how, body, saying) => {
    if (busy) return;
    setBusy(how);
    setProblem(null);
    try {
      await post(`/knowledge/suggestions/${suggestion.id}/${how}`, body);
      say(saying);
      if (how === "accept") loadFolders().catch(() => {});
      await next();
    } catch (error) {
      setProblem(error);
      setBusy(null);
      if (error.code === "suggestion_settled") reload();
    }
  };
  const edited = (names) => Object.fromEntries(names.filter((name) => form[name].trim() !== (suggestion[name] ?? "").trim()).map((name) => [name, form[name]]));
  const accept = () => decide("accept", isAlias
    ? edited(["alias"])
    : { ...edited(["title", "body"]), ...(suggestion.kind === "new" && form.folderId !== "none" && { folderId: form.folderId }) },
  isAlias ? "The document is found by these words now." : "Written. The agent answers from it in a moment.");
  const dismiss = () => decide("dismiss", {}, "Dismissed.");
  useKeys([
    { key: "mod+Enter", text: "Accept the suggestion", typing: true, run: accept },
    { key: "x", text: "Dismiss the suggestion", run: dismiss },
    { key: "u", text: "Back to the suggestions", run: () => open("/knowledge/suggestions") },
  ], [form, busy]);
  return html`
    ${problem && html`<${Problem} problem=${problem} />`}
    ${["suggestion_stale", "suggestion_gone"].includes(problem?.code) && html`
      <p class="buttons">${problem.code === "suggestion_stale" && html`<a class="button"
        href=${href(`/knowledge/${suggestion.targetDocId}`)}>Open the document</a>`}
        <${Button} onClick=${() => copy(form.body)}>Copy the suggested text<//></p>`}
    ${isAlias
      ? html`
        <p>Your teammate answered with what <a href=${href(`/knowledge/${suggestion.targetDocId}`)}>
          ${suggestion.title}</a> says already, but the agent didn't find it.</p>
        <${Field} label="Words that should find it" hint="Nobody reads them. Shorten the question to what others would type.">
          <input maxlength="120" value=${form.alias} onInput=${(event) => set({ alias: event.currentTarget.value })} /><//>
        <section class="stack" aria-labelledby="answer"><h2 id="answer">Your teammate's answer</h2><div class="document-text">
          <${Article} text=${suggestion.body} /></div></section>`
      : html`<${Texts} suggestion=${suggestion} form=${form} set=${set} target=${target} />`}
    <div class="buttons">
      <${Button} kind="main" icon="check" busy=${busy === "accept"} hotkey="Ctrl Enter" onClick=${accept}
        disabled=${isAlias ? !form.alias.trim() : !form.title.trim() || !form.body.trim()}>
        ${isAlias ? "Add these words" : suggestion.kind === "change" ? "Change the document" : "Add the document"}<//>
      <${Button} busy=${busy === "dismiss"} hotkey="x" onClick=${dismiss}>Dismiss<//>
    </div>
  `;
};

const load = async (id) => {
  const { suggestion } = await get(`/knowledge/suggestions/${id}`);
  const isChange = suggestion.kind === "change" && suggestion.status === "pending";
  const target = isChange ? await get(`/knowledge/documents/${suggestion.targetDocId}`).catch(() => null) : null;
  return { suggestion, target: target?.document };
};

export const Suggestion = ({ id }) => {
  const loaded = useLoaded(() => load(id), [id]);
  return html`
    <p class="crumb"><a href=${href("/knowledge/suggestions")}>All suggestions</a></p>
    <${Shown} loaded=${loaded} lines=${9}>${({ suggestion, target }) => html`
      <div class="page-head"><h1>${named(suggestion)}</h1><${Badge} tone=${KINDS[suggestion.kind][0]}>${KINDS[suggestion.kind][1]}<//></div>
      <div class="stack large">
        <${Evidence} suggestion=${suggestion} />
        <div class="stack">${suggestion.status === "pending"
          ? html`<${Review} key=${suggestion.id} suggestion=${suggestion} target=${target} reload=${loaded.reload} />`
          : html`<${Decided} suggestion=${suggestion} />`}</div>
      </div>
    `}<//>
  `;
};
