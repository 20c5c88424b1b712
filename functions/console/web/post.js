// A post of the feedback board: its text, what the team decides about it, its signal and its comments.
import { html, useState } from "./vendor/htm-preact.js";
import { get, patch, post, remove } from "./api.js";
import { copyLink } from "./copying.js";
import { More, Shown, useLoaded, usePages } from "./loading.js";
import { Plain } from "./markdown.js";
import { href, open } from "./router.js";
import { SignalPicker } from "./signal_picker.js";
import { remember, remembered } from "./store.js";
import { attempt, Avatar, Badge, Button, Choice, Confirm, Dialog, Field, Menu, Problem, say, Switch, Time, useWrite } from "./ui.js";
import { choices, count, DraftForm, StatusBadge, typed, useDraft, useLook } from "./work.js";

const FIELDS = [["title", "Title", null, 200, 1], ["body", "Text", "The customer's own words: correct them with care.", 10_000, 8]];

export const PostPage = ({ id, settings, reloadSettings }) => {
  const loaded = useLoaded(() => get(`/board/posts/${id}`), [id]);
  useLook(loaded.reload);
  return html`
    <p class="crumb"><a href=${href("/board")}>Feedback board</a></p>
    ${loaded.problem && loaded.data && html`<${Problem} problem=${loaded.problem} retry=${loaded.reload} />`}
    <${Shown} loaded=${loaded}>${(shown) => html`
      <${Post} shown=${shown} show=${loaded.set} reload=${loaded.reload} settings=${settings} reloadSettings=${reloadSettings} />
    `}<//>
  `;
};

const Post = ({ shown, show, reload, settings, reloadSettings }) => {
  const draft = useDraft({ title: shown.title, body: shown.body });
  const [isEditing, setEditing] = useState(false);
  const [asked, setAsked] = useState(null);
  const path = `/board/posts/${shown.id}`;
  const read = async () => {
    const now = await get(path);
    show(now);
    return now;
  };
  const save = async () => {
    const write = async (body) => Object.keys(body).length && (await patch(path, body), show({ ...shown, ...body }));
    if (await draft.save(read, write)) setEditing(false);
  };
  // Shows a choice at once, and the former one again if it is refused.
  const choose = async (body, saying) => {
    show({ ...shown, ...body });
    if ((await attempt(() => patch(path, body), saying)) === undefined) show(shown);
    else reloadSettings();
    reload();
  };
  const isWaiting = shown.state === "pending" && !shown.isSpam;
  const items = [
    shown.isSpam
      ? { text: "Not spam", run: () => choose({ isSpam: false }, "No longer spam.") }
      : { text: "Mark as spam", run: () => choose({ isSpam: true }, "Marked as spam.") },
    shown.state === "public" && { text: "Hide", run: () => choose({ state: "pending" }, "Hidden. It waits for your decision again.") },
    copyLink(`/board/${shown.number}`),
    "-",
    { text: "Delete …", icon: "trash", danger: true, run: () => setAsked("remove") },
  ];
  return html`
    <div class="page-head">
      <h1>${shown.title}</h1>
      ${!isEditing && html`<${Button} icon="edit" onClick=${() => setEditing(true)}>Edit<//>`}
      ${isWaiting && html`<${Button} kind="main" icon="check" onClick=${() => choose({ state: "public" }, "Published.")}>Publish<//>`}
      <${Menu} label="More actions" items=${items} />
    </div>
    <div class="sides">
      <div class="stack">
        <p class="by"><${Avatar} name=${shown.author.name} size=${24} /> <b>${shown.author.name}</b>
          ${shown.author.isTeam && html`<${Badge} tone="info">team<//>`} <small>${shown.author.email ?? ""} <${Time} at=${shown.createdAt} /></small>
          ${isWaiting && html`<${Badge} tone="warn">Waiting<//>`}${shown.isSpam && html`<${Badge} tone="bad">Spam<//>`}</p>
        ${isEditing || draft.isDirty
          ? html`<${DraftForm} draft=${draft} known=${shown} fields=${FIELDS} onSave=${save} onCancel=${() => (draft.drop(), setEditing(false))} />`
          : shown.body ? html`<${Plain} text=${shown.body} />` : html`<p class="hint">No text.</p>`}
      </div>
      <${Side} shown=${shown} settings=${settings} choose=${choose} onFile=${() => setAsked("signal")}
        onUnfile=${() => attempt(() => post(`${path}/signal`, { signalId: null }), "Taken off the signal.").then(reload)} />
      <${Comments} path=${path} id=${shown.id} />
    </div>
    ${asked === "signal" && html`
      <${UnderSignal} shown=${shown} path=${path} onClose=${() => setAsked(null)} onDone=${() => (reload(), reloadSettings())} />`}
    ${asked === "remove" && html`<${Confirm} title="Delete this post?" action="Delete post" onClose=${() => setAsked(null)}
      run=${async () => (await remove(path), say("Deleted."), reloadSettings(), open("/board"))}>
      <p>“${shown.title}” is deleted with ${count(shown.votes, "vote")} and its comments. You can't undo it.</p><//>`}
  `;
};

const Side = ({ shown, settings, choose, onFile, onUnfile }) => html`
  <aside class="side" aria-label="Details">
    <p><b class="big">${shown.votes}</b> ${shown.votes === 1 ? "vote" : "votes"} <small>${shown.verifiedVotes} by people you know</small></p>
    <${Choice} label="Status" value=${shown.statusId} options=${choices(settings.statuses)}
      onChange=${(statusId) => choose({ statusId }, "Status saved.")} />
    ${settings.boards.length > 1 && html`
      <${Choice} label="Board" value=${shown.boardId} options=${choices(settings.boards)}
        onChange=${(boardId) => choose({ boardId }, "Moved to another board.")} />`}
    <${Tags} chosen=${shown.tagIds} tags=${settings.tags} onChange=${(tagIds) => choose({ tagIds }, "Tags saved.")} />
    <${Switch} label="Pinned" hint="Stands above the others." checked=${shown.pinned}
      onChange=${(pinned) => choose({ pinned }, pinned ? "Pinned." : "Unpinned.")} />
    <div>
      <p class="hint">Signal</p>
      ${shown.signal ? html`
        <p><a href=${href(`/signals/${shown.signal.id}`)}>${shown.signal.title}</a> <${StatusBadge} status=${shown.signal.status} /></p>
        <${Button} kind="quiet" onClick=${onUnfile}>Take it off<//>
      ` : html`<${Button} icon="signals" onClick=${onFile}>File under a signal<//>`}
    </div>
  </aside>
`;

const Tags = ({ chosen, tags, onChange }) => tags.length > 0 && html`
  <fieldset class="tag-choice">
    <legend class="hint">Tags</legend>
    ${tags.map((each) => html`
      <label key=${each.id}>
        <input type="checkbox" checked=${chosen.includes(each.id)}
          onChange=${() => onChange(chosen.includes(each.id) ? chosen.filter((tag) => tag !== each.id) : [...chosen, each.id])} />${each.name}
      </label>
    `)}
  </fieldset>
`;

// Files a post under a signal that exists, or under a new one with the post's text.
const UnderSignal = ({ shown, path, onClose, onDone }) => {
  const [chosen, setChosen] = useState(null);
  const [busy, setBusy] = useState(null);
  const [problem, setProblem] = useState(null);
  const run = (what, signal) => async () => {
    setBusy(what);
    setProblem(null);
    try {
      await post(`${path}/signal`, { signalId: (await signal()).id });
      say("Filed. The post follows the signal's status.");
      onClose();
      onDone();
    } catch (error) {
      setProblem(error);
      setBusy(null);
    }
  };
  const file = run("new", () => post("/signals", { kind: "suggestion", title: shown.title, body: shown.body }));
  const link = run("link", async () => chosen);
  return html`
    <${Dialog} title="File under a signal" onClose=${onClose} onSubmit=${() => chosen && link()} actions=${html`
      <${Button} busy=${busy === "new"} disabled=${busy} onClick=${file}>File a new signal<//>
      <${Button} kind="main" type="submit" busy=${busy === "link"} disabled=${busy || !chosen}>File under the chosen one<//>`}>
      <p>The post then shows how far the signal is, whenever that changes.</p>
      ${problem && html`<${Problem} problem=${problem} />`}
      <${SignalPicker} title=${shown.title} chosen=${chosen} onChoose=${setChosen} />
    <//>
  `;
};

const Comments = ({ path, id }) => {
  const pages = usePages(`${path}/comments`, "comments");
  const name = `comment:${id}`;
  const [text, setText] = useState(remembered(name, ""));
  const { busy, problem, write } = useWrite();
  const [deleting, setDeleting] = useState(null);
  const type = (value) => (setText(value), remember(name, value || null));
  const add = async (event) => {
    event?.preventDefault();
    if (!text.trim() || busy) return;
    await write(async () => {
      await post(`${path}/comments`, { body: text.trim() });
      type("");
      pages.reload();
    });
  };
  const erase = async () => {
    await remove(`${path}/comments/${deleting.id}`);
    pages.change((items) => items.filter((one) => one.id !== deleting.id));
    say("Deleted.");
  };
  return html`
    <section class="stack">
      <h2>Comments</h2>
      ${pages.isDone && !pages.items.length && html`<p class="hint">No comments yet.</p>`}
      <ul class="stack">
        ${pages.items.map((each) => html`
          <li key=${each.id} class="report">
            <${Avatar} name=${each.author.name} />
            <div class="stack tight">
              <p class="buttons spread">
                <span><b>${each.author.name}</b> ${each.author.isTeam && html`<${Badge} tone="info">team<//>`}
                  <small class="inline"> <${Time} at=${each.createdAt} /></small></span>
                <${Button} kind="quiet" icon="trash" label=${`Delete the comment of ${each.author.name}`} onClick=${() => setDeleting(each)} />
              </p>
              <${Plain} text=${each.body} />
            </div>
          </li>
        `)}
      </ul>
      <${More} pages=${pages} lines=${2} />
      <form class="stack" onSubmit=${add} onKeyDown=${(event) => event.key === "Enter" && (event.metaKey || event.ctrlKey) && add(event)}>
        <${Field} label="Your comment" hint="Everybody who sees the board can read it.">
          <textarea rows="3" value=${text} maxlength="4000" onInput=${typed(type)}></textarea>
        <//>
        ${problem && html`<${Problem} problem=${problem} />`}
        <div class="buttons"><${Button} type="submit" busy=${busy} disabled=${!text.trim()}>Comment publicly<//></div>
      </form>
      ${deleting && html`<${Confirm} title="Delete this comment?" action="Delete comment" run=${erase} onClose=${() => setDeleting(null)}>
        <blockquote class="quote">${deleting.body}</blockquote><p>You can't undo it.</p><//>`}
    </section>
  `;
};
