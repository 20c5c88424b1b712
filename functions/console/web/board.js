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
import { Badge, Button, Choice, Confirm, Dialog, Empty, Field, Problem, say, Tabs, Time } from "./ui.js";
import { count, useLook } from "./work.js";

await Promise.all([sheet("work.css"), sheet("board.css")]);

const SORTS = [["newest", "Newest"], ["votes", "Most votes"], ["trending", "Trending"]];
const DRAFT = "post-draft";

const address = (filter) => {
  const all = Object.entries(filter).filter(([, value]) => value);
  return `/board${all.length ? `?${new URLSearchParams(all)}` : ""}`;
};

export default function BoardScreen({ path: [id] }) {
  const board = useLoaded(() => get("/board"));
  const is = id === "settings" ? BoardSettings : id ? PostPage : Posts;
  return html`<main class="page"><div class="within">
    <${Shown} loaded=${board}>${(settings) => html`<${is} key=${id} id=${id} settings=${settings} reloadSettings=${board.reload} showSettings=${board.set} />`}<//>
  </div></main>`;
}

const Posts = ({ settings, reloadSettings }) => {
  const { query } = useCell(place);
  const filter = Object.fromEntries(["status", "board", "tag", "sort", "q"].map((name) => [name, query.get(name) ?? ""]));
  const [adding, setAdding] = useState(false);
  const narrow = (change) => open(address({ ...filter, ...change }), { replace: true });
  useKeys([{ key: "c", text: "Add a post", run: () => setAdding(true) }]);
  const lists = [["", "All"], ...settings.statuses.map((each) => [each.id, `${each.name} ${each.posts || ""}`]), ["spam", "Spam"]];
  const tabs = lists.map(([status, text]) => [href(address({ ...filter, status })), text]);
  const waiting = settings.boards.reduce((sum, each) => sum + each.pending, 0);
  const asked = { boardId: filter.board, tagId: filter.tag, q: filter.q, sort: filter.sort };
  return html`
    <div class="page-head">
      <h1>Feedback board</h1>
      <a class="button quiet" href=${href("/board/settings")}><${Icon} name="settings" /> Settings</a>
      <${Button} kind="main" icon="plus" hotkey="c" onClick=${() => setAdding(true)}>Add a post<//>
    </div>
    <${Tabs} label="Status" tabs=${tabs} current=${href(address(filter))} />
    <div class="filters below">
      <form role="search" onSubmit=${(event) => (event.preventDefault(), narrow({ q: event.currentTarget.elements.words.value.trim() }))}>
        <input key=${filter.q} name="words" type="search" aria-label="Search posts" placeholder="Search posts" defaultValue=${filter.q}
          onInput=${(event) => event.currentTarget.value || narrow({ q: "" })} />
      </form>
      ${settings.boards.length > 1 && html`<${Choice} label="Board" value=${filter.board} options=${[["", "All"], ...settings.boards.map((each) => [each.id, each.name])]} onChange=${(board) => narrow({ board })} />`}
      ${settings.tags.length > 0 && html`<${Choice} label="Tag" value=${filter.tag} options=${[["", "All"], ...settings.tags.map((each) => [each.id, each.name])]} onChange=${(tag) => narrow({ tag })} />`}
      ${!filter.q && html`<${Choice} label="Order" value=${filter.sort || "newest"} options=${SORTS} onChange=${(sort) => narrow({ sort: sort === "newest" ? "" : sort })} />`}
    </div>
    ${!filter.status && html`<${Waiting} key=${`waiting${waiting > 0}`} query=${{ boardId: filter.board, tagId: filter.tag, q: filter.q }} settings=${settings} onChange=${reloadSettings} />`}
    <${List} query=${filter.status === "spam" ? { ...asked, isSpam: true } : { ...asked, state: filter.status ? "" : "public", statusId: filter.status }}
      settings=${settings} isNarrow=${filter.status || filter.board || filter.tag || filter.q} waiting=${waiting} />
    ${adding && html`<${NewPost} settings=${settings} onClose=${() => setAdding(false)} />`}
  `;
};

const List = ({ query, settings, isNarrow, waiting }) => {
  const pages = usePages("/board/posts", "posts", query);
  if (pages.isDone && !pages.items.length) {
    return isNarrow
      ? html`<${Empty} icon="board" title="No posts here"><p><a href=${href("/board")}>Show all posts</a></p><//>`
      : html`<${Empty} icon="board" title=${waiting ? "Nothing is published yet" : "No posts yet"}>
          <p>Your customers post ideas on the board of your help site. They appear here${waiting ? " when you publish them" : ""}.</p><//>`;
  }
  return html`
    ${pages.items.length > 0 && html`<ul class="rows">${pages.items.map((each) => html`<li key=${each.id}><${PostRow} post=${each} settings=${settings} /></li>`)}</ul>`}
    <${More} pages=${pages} />
  `;
};

const PostRow = ({ post: each, settings, showsState = true }) => html`
  <a class="row" href=${href(`/board/${each.number}`)}>
    <span class="votes"><b>${each.votes}</b><small>${each.votes === 1 ? "vote" : "votes"}</small></span>
    <span class="grow">
      ${each.title}${each.pinned && html` <${Badge} tone="info">pinned<//>`}
      ${each.excerpt && html`<small class="clip">${each.excerpt}</small>`}
      <small>${each.author.name} · <${Time} at=${each.createdAt} />${settings.boards.length > 1 ? ` · ${settings.boards.find((one) => one.id === each.boardId)?.name ?? ""}` : ""}${each.commentCount ? ` · ${count(each.commentCount, "comment")}` : ""}${each.hasSignal ? " · under a signal" : ""}</small>
    </span>
    ${each.tagIds.map((tag) => html`<${Badge} key=${tag}>${settings.tags.find((one) => one.id === tag)?.name}<//>`)}
    ${showsState && (each.state === "pending" ? html`<${Badge} tone="warn">Waiting<//>` : html`<${Badge} tone="info">${settings.statuses.find((one) => one.id === each.statusId)?.name}<//>`)}
  </a>
`;

// Posts that nobody has decided on. A decision takes one off at once, and puts it back if the server refuses.
const Waiting = ({ query, settings, onChange }) => {
  const pages = usePages("/board/posts", "posts", { ...query, state: "pending" });
  const [deleting, setDeleting] = useState(null);
  useLook(() => !pages.isLoading && pages.items.length <= 50 && pages.reload(), 30_000);
  const decide = async (each, body, saying, back) => {
    pages.change((items) => items.filter((one) => one.id !== each.id));
    const putBack = () => pages.change((items) => [each, ...items.filter((one) => one.id !== each.id)]);
    try {
      await patch(`/board/posts/${each.id}`, body);
      say(saying, { undo: () => patch(`/board/posts/${each.id}`, back).then(() => (putBack(), onChange()), (problem) => say(problem.message, { tone: "bad" })) });
      onChange();
    } catch (problem) {
      putBack();
      say(`“${each.title}” still waits. ${problem.message}`, { tone: "bad", ms: 8_000 });
    }
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
      ${deleting && html`<${Confirm} title="Decline this post?" action="Delete post" onClose=${() => setDeleting(null)}
        run=${async () => (await remove(`/board/posts/${deleting.id}`), pages.change((items) => items.filter((one) => one.id !== deleting.id)), say("Deleted."), onChange())}>
        <p>“${deleting.title}” by ${deleting.author.name} is deleted with its votes and comments. You can't undo it.</p><//>`}
    </section>
  `;
};

const NewPost = ({ settings, onClose }) => {
  const [values, setValues] = useState({ title: "", body: "", boardId: settings.boards[0].id, ...remembered(DRAFT, {}) });
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState(null);
  useEffect(() => remember(DRAFT, values.title || values.body ? values : null), [values]);
  const set = (name) => (event) => setValues({ ...values, [name]: event.currentTarget.value });
  const add = async () => {
    setBusy(true);
    setProblem(null);
    try {
      const { number } = await post("/board/posts", { ...values, title: values.title.trim() });
      remember(DRAFT, null);
      say("Post added.");
      open(`/board/${number}`);
    } catch (error) {
      setProblem(error);
      setBusy(false);
    }
  };
  return html`
    <${Dialog} title="Add a post" onClose=${onClose} onSubmit=${add}
      actions=${html`<${Button} onClick=${onClose}>Cancel<//><${Button} kind="main" type="submit" busy=${busy} disabled=${!values.title.trim()}>Add post<//>`}>
      ${problem && html`<${Problem} problem=${problem} />`}
      <p class="hint">It appears under your name, and customers can vote for it.</p>
      <${Field} label="Title"><input value=${values.title} maxlength="200" required onInput=${set("title")} /><//>
      <${Field} label="Text" hint="What you type is kept in this browser until you add the post."><textarea rows="5" value=${values.body} maxlength="10000" onInput=${set("body")}></textarea><//>
      ${settings.boards.length > 1 && html`<${Choice} label="Board" value=${values.boardId} options=${settings.boards.map((each) => [each.id, each.name])} onChange=${(boardId) => setValues({ ...values, boardId })} />`}
    <//>
  `;
};
