// The feedback board as the team sees it: posts that wait for a decision first, then the others by status. A post's page is in
// post.js, the boards, statuses and tags are in board_settings.js.
import { html, useEffect, useState } from "./vendor/htm-preact.js";
import { get, patch, post, remove } from "./api.js";
import { BoardSettings } from "./board_settings.js";
import { Icon } from "./icons.js";
import { useKeys } from "./keys.js";
import { More, sheet, Shown, useLoaded, usePages } from "./loading.js";
import { PostPage } from "./post.js";
import { href, open, place } from "./router.js";
import { remember, remembered, useCell } from "./store.js";
import { attempt, Badge, Button, Choice, Confirm, Dialog, Empty, Field, Problem, say, Tabs, Time, useWrite } from "./ui.js";
import { addressOf, choices, count, Search, typed, useLook } from "./work.js";

await Promise.all([sheet("work.css"), sheet("board.css")]);

const SORTS = [["newest", "Newest"], ["votes", "Most votes"], ["trending", "Trending"]];
const DRAFT = "post-draft";
const ALL = ["", "All"];


export default function BoardScreen({ path: [id] }) {
  const board = useLoaded(() => get("/board"));
  const is = id === "settings" ? BoardSettings : id ? PostPage : Posts;
  return html`<main class="page"><div class="within">
    <${Shown} loaded=${board}>${(settings) => html`
      <${is} key=${id} id=${id} settings=${settings} reloadSettings=${board.reload} showSettings=${board.set} />
    `}<//>
  </div></main>`;
}

const Posts = ({ settings, reloadSettings }) => {
  const { query } = useCell(place);
  const filter = Object.fromEntries(["status", "board", "tag", "sort", "q"].map((name) => [name, query.get(name) ?? ""]));
  const [adding, setAdding] = useState(false);
  const [changes, setChanges] = useState(0);
  const narrow = (change) => open(addressOf("/board", { ...filter, ...change }), { replace: true });
  useKeys([{ key: "c", text: "Add a post", run: () => setAdding(true) }]);
  const lists = [ALL, ...settings.statuses.map((each) => [each.id, `${each.name} ${each.posts || ""}`]), ["spam", "Spam"]];
  const tabs = lists.map(([status, text]) => [href(addressOf("/board", { ...filter, status })), text]);
  const waiting = settings.boards.reduce((sum, each) => sum + each.pending, 0);
  const words = { boardId: filter.board, tagId: filter.tag, q: filter.q };
  const list = filter.status === "spam" ? { isSpam: true } : { statusId: filter.status, state: filter.status ? "" : "public" };
  return html`
    <div class="page-head">
      <h1>Feedback board</h1>
      <a class="button quiet" href=${href("/board/settings")}><${Icon} name="settings" /> Settings</a>
      <${Button} kind="main" icon="plus" hotkey="c" onClick=${() => setAdding(true)}>Add a post<//>
    </div>
    <${Tabs} label="Status" tabs=${tabs} current=${href(addressOf("/board", filter))} />
    <div class="filters below">
      <${Search} label="Search posts" words=${filter.q} onSearch=${(q) => narrow({ q })} />
      ${settings.boards.length > 1 && html`
        <${Choice} label="Board" value=${filter.board} options=${[ALL, ...choices(settings.boards)]} onChange=${(board) => narrow({ board })} />`}
      ${settings.tags.length > 0 && html`
        <${Choice} label="Tag" value=${filter.tag} options=${[ALL, ...choices(settings.tags)]} onChange=${(tag) => narrow({ tag })} />`}
      ${!filter.q && html`<${Choice} label="Order" value=${filter.sort || SORTS[0][0]} options=${SORTS} onChange=${(sort) => narrow({ sort })} />`}
    </div>
    ${!filter.status && html`<${Waiting} query=${words} settings=${settings} onChange=${() => (reloadSettings(), setChanges((known) => known + 1))} />`}
    <${List} query=${{ ...words, sort: filter.sort, ...list }} settings=${settings} waiting=${waiting} changes=${changes}
      isNarrow=${filter.status || filter.board || filter.tag || filter.q} />
    ${adding && html`<${NewPost} settings=${settings} onClose=${() => setAdding(false)} />`}
  `;
};

const List = ({ query, settings, isNarrow, waiting, changes }) => {
  const pages = usePages("/board/posts", "posts", query);
  useEffect(() => changes > 0 && void pages.reload(), [changes]);
  if (pages.isDone && !pages.items.length) {
    return isNarrow
      ? html`<${Empty} icon="board" title="No posts here"><p><a href=${href("/board")}>Show all posts</a></p><//>`
      : html`<${Empty} icon="board" title=${waiting ? "Nothing is published yet" : "No posts yet"}>
          <p>Your customers post ideas on the board of your help site. They appear here${waiting ? " when you publish them" : ""}.</p><//>`;
  }
  return html`
    ${pages.items.length > 0 && html`<ul class="rows">
      ${pages.items.map((each) => html`<li key=${each.id}><${PostRow} post=${each} settings=${settings} /></li>`)}
    </ul>`}
    <${More} pages=${pages} />
  `;
};

const nameIn = (list, id) => list.find((each) => each.id === id)?.name;

const PostRow = ({ post: each, settings, showsState = true }) => {
  const about = [
    settings.boards.length > 1 && nameIn(settings.boards, each.boardId),
    each.commentCount > 0 && count(each.commentCount, "comment"),
    each.hasSignal && "under a signal",
  ].filter(Boolean);
  return html`
    <a class="row" href=${href(`/board/${each.number}`)}>
      <span class="votes"><b>${each.votes}</b><small>${each.votes === 1 ? "vote" : "votes"}</small></span>
      <span class="grow">
        ${each.title}${each.pinned && html` <${Badge} tone="info">pinned<//>`}
        ${each.excerpt && html`<small class="clip">${each.excerpt}</small>`}
        <small>${each.author.name} · <${Time} at=${each.createdAt} />${about.map((text) => ` · ${text}`)}</small>
      </span>
      ${each.tagIds.map((tag) => html`<${Badge} key=${tag}>${nameIn(settings.tags, tag)}<//>`)}
      ${showsState && (each.state === "pending"
        ? html`<${Badge} tone="warn">Waiting<//>`
        : html`<${Badge} tone="info">${nameIn(settings.statuses, each.statusId)}<//>`)}
    </a>
  `;
};

// Posts that nobody has decided on. A decision takes one off at once, and puts it back if the server refuses.
const Waiting = ({ query, settings, onChange }) => {
  const pages = usePages("/board/posts", "posts", { ...query, state: "pending" });
  const [deleting, setDeleting] = useState(null);
  useLook(() => !pages.isLoading && pages.items.length <= 50 && pages.reload(), 30_000);
  const takeOff = (each) => pages.change((items) => items.filter((one) => one.id !== each.id));
  const putBack = (each) => pages.change((items) => [each, ...items.filter((one) => one.id !== each.id)]);
  const undo = (each, back) => async () => {
    if (!(await attempt(() => patch(`/board/posts/${each.id}`, back)))) return;
    putBack(each);
    onChange();
  };
  const decide = async (each, body, saying, back) => {
    takeOff(each);
    try {
      await patch(`/board/posts/${each.id}`, body);
      say(saying, { undo: undo(each, back) });
      onChange();
    } catch (problem) {
      putBack(each);
      say(`“${each.title}” still waits. ${problem.message}`, { tone: "bad", ms: 8_000 });
    }
  };
  const decline = async () => {
    await remove(`/board/posts/${deleting.id}`);
    takeOff(deleting);
    say("Deleted.");
    onChange();
  };
  if (!pages.items.length) return pages.problem ? html`<${Problem} problem=${pages.problem} retry=${pages.reload} />` : null;
  return html`
    <section class="waiting" aria-labelledby="waiting">
      <h2 class="section-head" id="waiting">Waiting for your decision</h2>
      <ul class="rows">
        ${pages.items.map((each) => html`
          <li key=${each.id}>
            <${PostRow} post=${each} settings=${settings} showsState=${false} />
            <span class="buttons decide">
              <${Button} icon="check" onClick=${() => decide(each, { state: "public" }, "Published.", { state: "pending" })}>Publish<//>
              <${Button} onClick=${() => decide(each, { isSpam: true }, "Marked as spam.", { isSpam: false })}>Spam<//>
              <${Button} kind="quiet" icon="trash" label=${`Decline and delete “${each.title}”`} onClick=${() => setDeleting(each)} />
            </span>
          </li>
        `)}
      </ul>
      <${More} pages=${pages} lines=${1} />
      <h2 class="section-head next">Published</h2>
      ${deleting && html`<${Confirm} title="Decline this post?" action="Delete post" run=${decline} onClose=${() => setDeleting(null)}>
        <p>“${deleting.title}” by ${deleting.author.name} is deleted with its votes and comments. You can't undo it.</p><//>`}
    </section>
  `;
};

const NewPost = ({ settings, onClose }) => {
  const [values, setValues] = useState({ title: "", body: "", boardId: settings.boards[0].id, ...remembered(DRAFT, {}) });
  const { busy, problem, write } = useWrite();
  useEffect(() => remember(DRAFT, values.title || values.body ? values : null), [values]);
  const set = (name) => (value) => setValues({ ...values, [name]: value });
  const add = async () => {
    await write(async () => {
      const { number } = await post("/board/posts", { ...values, title: values.title.trim() });
      remember(DRAFT, null);
      say("Post added.");
      open(`/board/${number}`);
    });
  };
  return html`
    <${Dialog} title="Add a post" onClose=${onClose} onSubmit=${add}
      actions=${html`
        <${Button} onClick=${onClose}>Cancel<//><${Button} kind="main" type="submit" busy=${busy} disabled=${!values.title.trim()}>Add post<//>
      `}>
      ${problem && html`<${Problem} problem=${problem} />`}
      <p class="hint">It appears under your name, and customers can vote for it.</p>
      <${Field} label="Title"><input value=${values.title} maxlength="200" required onInput=${typed(set("title"))} /><//>
      <${Field} label="Text" hint="What you type is kept in this browser until you add the post.">
        <textarea rows="5" value=${values.body} maxlength="10000" onInput=${typed(set("body"))}></textarea>
      <//>
      ${settings.boards.length > 1 && html`
        <${Choice} label="Board" value=${values.boardId} options=${choices(settings.boards)} onChange=${set("boardId")} />`}
    <//>
  `;
};
