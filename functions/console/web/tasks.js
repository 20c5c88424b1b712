// The task board: a column for each step, cards that move by mouse, by keyboard and from a menu. A card's page is in task.js.
import { html, useEffect, useRef, useState } from "./vendor/htm-preact.js";
import { post, remove } from "./api.js";
import { Icon } from "./icons.js";
import { useKeys } from "./keys.js";
import { sheet } from "./loading.js";
import { href, open, place } from "./router.js";
import { me, members } from "./session.js";
import { useCell } from "./store.js";
import { ASKED, NewTask, TaskPage } from "./task.js";
import { COLUMNS, nameOf, useCards } from "./task_moves.js";
import { Avatar, Button, Choice, Confirm, Loading, Menu, Problem, say } from "./ui.js";
import { addressOf, count, KINDS, named, PriorityBadge, Search } from "./work.js";

await Promise.all([sheet("work.css"), sheet("tasks.css")]);

export default function Tasks({ path: [id] }) {
  return id ? html`<${TaskPage} key=${id} id=${id} />` : html`<${Board} />`;
}

const Marks = ({ card }) => html`
  <span class="task-marks">
    ${card.signalId && !card.isRequest && html`
      <span title="From customers"><${Icon} name="signals" size=${14} /><span class="visually-hidden">From customers</span></span>`}
    ${card.isRequest && html`<span>${count(card.reporterCount, "customer")}</span>`}
    ${card.commits > 0 && html`<span>${count(card.commits, "commit")}</span>`}
    ${card.pullRequests > 0 && html`<span>${count(card.pullRequests, "pull request")}</span>`}
    ${card.assignee && html`<span class="task-who" title=${`Assigned to ${card.assignee.name}`}>
      <${Avatar} name=${card.assignee.name} size=${22} /><span class="visually-hidden">Assigned to ${card.assignee.name}</span></span>`}
  </span>
`;

const Card = ({ card, isFresh, isDragged, isTarget, items, onKey, onDrag }) => html`
  <li
    class=${`task ${isFresh ? "fresh" : ""} ${isDragged ? "dragged" : ""} ${isTarget ? "target" : ""} ${card.isRequest ? "request" : ""}`}
    data-id=${card.id} draggable
    onDragStart=${(event) => (event.dataTransfer.setData("text/plain", nameOf(card)), (event.dataTransfer.effectAllowed = "move"), onDrag(card))}
    onDragEnd=${() => onDrag(null)}
  >
    <a id=${`task-${card.id}`} href=${href(card.isRequest ? `/signals/${card.id}` : `/tasks/${card.key}`)} draggable=${false}
      aria-describedby="task-help" onKeyDown=${onKey}>
      <span class="task-top">
        <small>${card.isRequest ? named(KINDS, card.kind) : card.key}</small><${PriorityBadge} priority=${card.priority} />
      </span>
      <span class="task-title">${card.title}</span>
      <${Marks} card=${card} />
    </a>
    <${Menu} label=${`Actions for ${nameOf(card)}`} items=${items} />
  </li>
`;

const Column = ({ status, name, cards, target, onOver, onDrop, onAdd, children, hasMore, showMore }) => {
  const list = useRef();
  const over = (event) => {
    event.preventDefault();
    const below = [...list.current.querySelectorAll(".task:not(.dragged, .request)")].find((each) => {
      const { top, height } = each.getBoundingClientRect();
      return event.clientY < top + height / 2;
    });
    onOver({ status, before: status === "done" ? null : (below?.dataset.id ?? null) });
  };
  return html`
    <section class=${`column ${target?.status === status ? "over" : ""}`} aria-labelledby=${`column-${status}`} data-status=${status}
      onDragOver=${over} onDrop=${(event) => (event.preventDefault(), onDrop())}>
      <header><h2 id=${`column-${status}`}>${name} <small>${cards.length}${hasMore ? "+" : ""}</small></h2>
        <${Button} icon="plus" kind="quiet" label=${`Add a task to ${name}`} onClick=${onAdd} /></header>
      <ol ref=${list} class=${target?.status === status && !target.before ? "at-end" : ""}>${children}</ol>
      ${!cards.length && html`<p class="hint column-empty">${status === "requests" ? "What customers ask for appears here." : "No tasks"}</p>`}
      ${hasMore && html`<${Button} kind="quiet" onClick=${showMore}>Show older ones<//>`}
    </section>
  `;
};

const Board = () => {
  const { query } = useCell(place);
  const people = useCell(members);
  const filter = { q: query.get("q") ?? "", assignee: query.get("assignee") ?? "" };
  const board = useCards(filter);
  const [dragged, setDragged] = useState(null);
  const [target, setTarget] = useState(null);
  const [adding, setAdding] = useState(null);
  const [asked, setAsked] = useState(null);
  const focus = useRef(null);
  const cards = board.cards ?? [];
  const inColumn = (status) => cards.filter((each) => each.status === status);

  useEffect(() => {
    if (!focus.current) return;
    const link = document.getElementById(`task-${focus.current}`);
    link?.focus();
    link?.scrollIntoView({ block: "nearest", inline: "nearest" });
    focus.current = null;
  }, [board.cards]);

  const narrow = (change) => open(addressOf("/tasks", { ...filter, ...change }), { replace: true });
  const move = (card, status, before = null) => {
    if (status === "done" && card.status !== "done" && (card.signalId || card.isRequest)) setAsked({ what: "done", card });
    else board.move(card, status, before);
  };
  const step = (card, by) => {
    const column = inColumn(card.status).filter((each) => !each.isRequest);
    const at = column.findIndex((each) => each.id === card.id);
    if (card.isRequest || card.status === "done" || filter.q || !column[at + by]) return;
    move(card, card.status, by < 0 ? column[at - 1].id : (column[at + 2]?.id ?? null));
  };
  const aside = (card, by) => {
    const status = COLUMNS[COLUMNS.findIndex(([each]) => each === card.status) + by]?.[0];
    if (status) move(card, status);
  };
  const neighbor = (card, key) => {
    const column = inColumn(card.status);
    const at = column.findIndex((each) => each.id === card.id);
    if (key === "ArrowDown" || key === "ArrowUp") return column[at + (key === "ArrowDown" ? 1 : -1)];
    const way = key === "ArrowRight" ? 1 : -1;
    for (let index = COLUMNS.findIndex(([each]) => each === card.status) + way; COLUMNS[index]; index += way) {
      const next = inColumn(COLUMNS[index][0]);
      if (next.length) return next[Math.min(at, next.length - 1)];
    }
    return undefined;
  };
  const onKey = (card) => (event) => {
    if (!event.key.startsWith("Arrow") || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    if (event.shiftKey) {
      focus.current = card.id;
      if (event.key === "ArrowUp" || event.key === "ArrowDown") step(card, event.key === "ArrowDown" ? 1 : -1);
      else aside(card, event.key === "ArrowRight" ? 1 : -1);
    } else document.getElementById(`task-${neighbor(card, event.key)?.id}`)?.focus();
  };
  const onDrop = () => {
    const isPlace = dragged && target && target.before !== dragged.id && !(target.status === "requests" && dragged.isRequest);
    if (isPlace) move(dragged, target.status, target.before);
    setDragged(null);
    setTarget(null);
  };
  const items = (card) => [
    ...COLUMNS.filter(([status]) => status !== card.status).map(([status, name]) => ({
      text: `Move to ${name}`, run: () => ((focus.current = card.id), move(card, status)),
    })),
    !card.isRequest && card.status !== "done" && "-",
    !card.isRequest && card.status !== "done" && { text: "Move up", hotkey: "Shift ↑", run: () => ((focus.current = card.id), step(card, -1)) },
    !card.isRequest && card.status !== "done" && { text: "Move down", hotkey: "Shift ↓", run: () => ((focus.current = card.id), step(card, 1)) },
    "-",
    card.status === "requests" && { text: "Decline …", run: () => setAsked({ what: "decline", card }), danger: true },
    !card.isRequest && { text: "Delete …", icon: "trash", danger: true, run: () => setAsked({ what: "remove", card }) },
  ];
  const answer = async () => {
    const { what, card } = asked;
    if (what === "done") return void board.move(card, "done");
    if (what === "decline") await post(`/tasks/${card.id}/decline`);
    else await remove(`/tasks/${card.id}`);
    say(what === "decline" ? "Declined." : `${card.key} deleted.`);
    return board.reload();
  };
  useKeys([{ key: "c", text: "Add a task", run: () => setAdding("planned") }]);

  const others = people.filter((each) => each.userId !== me.value.user.id).map((each) => [each.userId, each.name]);
  const assignees = [["", "Everyone"], [me.value.user.id, "Me"], ...others];
  return html`
    <main class="tasks">
      <div class="page-head">
        <h1>Tasks</h1>
        <${Search} label="Search tasks" words=${filter.q} onSearch=${(q) => narrow({ q })} />
        <${Choice} label="Assigned to" value=${filter.assignee} options=${assignees} onChange=${(assignee) => narrow({ assignee })} />
        <${Button} kind="main" icon="plus" hotkey="c" onClick=${() => setAdding("planned")}>Add task<//>
      </div>
      <p class="visually-hidden" id="task-help">Arrow keys walk the board. Shift with an arrow key moves the card.</p>
      <p class="visually-hidden" role="status" aria-live="polite">${board.said}</p>
      ${board.problem && html`<${Problem} problem=${board.problem} retry=${board.reload} />`}
      ${!board.cards ? !board.problem && html`<${Loading} />` : html`
        <div class="columns-board" tabindex="-1">
          ${COLUMNS.map(([status, name]) => html`
            <${Column} key=${status} status=${status} name=${name} cards=${inColumn(status)} target=${dragged && target}
              onDrop=${onDrop} onAdd=${() => setAdding(status)}
              onOver=${(next) => (next.status !== target?.status || next.before !== target?.before) && setTarget(next)}
              hasMore=${status === "done" && board.hasMore} showMore=${board.showMore}>
              ${inColumn(status).map((card) => html`
                <${Card} key=${card.id} card=${card} items=${items(card)} onKey=${onKey(card)} isFresh=${board.fresh.has(card.id)}
                  isDragged=${dragged?.id === card.id} isTarget=${dragged && target?.status === status && target.before === card.id}
                  onDrag=${(each) => (setDragged(each), setTarget(null))} />
              `)}
            <//>
          `)}
        </div>
      `}
      ${adding && html`<${NewTask} status=${adding} onClose=${() => setAdding(null)} onAdded=${board.reload} />`}
      ${asked && html`
        <${Confirm} ...${ASKED[asked.what](asked.card)} danger=${asked.what !== "done"} run=${answer} onClose=${() => setAsked(null)} />`}
    </main>
  `;
};
