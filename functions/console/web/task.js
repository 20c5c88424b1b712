// A card of the task board: its page with what is linked to it, and the dialog that adds one.
import { html, useState } from "./vendor/htm-preact.js";
import { get, patch, post, remove } from "./api.js";
import { copyLink } from "./copying.js";
import { Shown, useLoaded } from "./loading.js";
import { Markdown } from "./markdown.js";
import { href, open } from "./router.js";
import { me, members } from "./session.js";
import { remember, remembered, useCell } from "./store.js";
import { COLUMNS, nameOf } from "./task_moves.js";
import { attempt, Badge, Button, Choice, Confirm, date, Dialog, Field, Menu, Problem, say, Time, useWrite } from "./ui.js";
import { DraftForm, named, Out, PRIORITIES, typed, useDraft, useLook } from "./work.js";

const NO_PRIORITY = [["", "No priority"], ...PRIORITIES];
const DRAFT = "task-draft";
const FIELDS = [["title", "Title", null, 200, 1], ["description", "Description", "Markdown", 20_000, 12]];

// What is asked before a card is done, deleted or declined: the title, the button and the text of a Confirm.
export const ASKED = {
  done: (card) => ({
    title: `Move ${nameOf(card)} to Done?`, action: "Move to Done",
    children: html`<p>The customers who reported it get a message that it's done. You can't take that back.</p>`,
  }),
  remove: (card) => ({
    title: `Delete ${card.key}?`, action: "Delete task",
    children: html`<p>“${card.title}” and its links to commits are deleted.
      ${card.signalId && "Its signal stays, as a request again unless it was done."}</p>`,
  }),
  decline: (card) => ({
    title: `Decline ${nameOf(card)}?`, action: "Decline",
    children: html`<p>“${card.title}” leaves the board${card.signalId && ", and its signal becomes declined. Its customers get no message"}.</p>`,
  }),
};

const useAssignees = (current) => {
  const people = useCell(members).map((each) => [each.userId, each.userId === me.value.user.id ? `${each.name} (you)` : each.name]);
  const isKnown = !current || people.some(([id]) => id === current.userId);
  return [["", "Nobody"], ...(isKnown ? [] : [[current.userId, current.name]]), ...people];
};

export const NewTask = ({ status, onClose, onAdded }) => {
  const [values, setValues] = useState({ title: "", description: "", priority: "", assigneeId: "", ...remembered(DRAFT, {}), status });
  const { busy, problem, write } = useWrite();
  const assignees = useAssignees(null);
  const set = (name) => (value) => {
    const next = { ...values, [name]: value };
    setValues(next);
    remember(DRAFT, next.title || next.description ? next : null);
  };
  const add = async () => {
    await write(async () => {
      const { title, priority, assigneeId } = values;
      const { key } = await post("/tasks", { ...values, title: title.trim(), priority: priority || null, assigneeId: assigneeId || null });
      remember(DRAFT, null);
      say(`${key} added to ${named(COLUMNS, values.status)}.`);
      onAdded();
      onClose();
    });
  };
  return html`
    <${Dialog} title="Add a task" onClose=${onClose} onSubmit=${add}
      actions=${html`
        <${Button} onClick=${onClose}>Cancel<//><${Button} kind="main" type="submit" busy=${busy} disabled=${!values.title.trim()}>Add task<//>
      `}>
      ${problem && html`<${Problem} problem=${problem} />`}
      <${Field} label="Title"><input value=${values.title} maxlength="200" required onInput=${typed(set("title"))} /><//>
      <${Field} label="Description" hint="Markdown. What you type is kept in this browser until you add the task.">
        <textarea rows="5" value=${values.description} maxlength="20000" onInput=${typed(set("description"))}></textarea>
      <//>
      <div class="buttons">
        <${Choice} label="Column" value=${values.status} options=${COLUMNS} onChange=${set("status")} />
        <${Choice} label="Priority" value=${values.priority} options=${NO_PRIORITY} onChange=${set("priority")} />
        <${Choice} label="Assigned to" value=${values.assigneeId} options=${assignees} onChange=${set("assigneeId")} />
      </div>
    <//>
  `;
};

export const TaskPage = ({ id }) => {
  const loaded = useLoaded(() => get(`/tasks/${id}`), [id]);
  useLook(loaded.reload);
  return html`
    <main class="page"><div class="within">
      <p class="crumb"><a href=${href("/tasks")}>Task board</a></p>
      ${loaded.problem && loaded.data && html`<${Problem} problem=${loaded.problem} retry=${loaded.reload} />`}
      <${Shown} loaded=${loaded}>${(data) => html`<${Task} data=${data} show=${loaded.set} reload=${loaded.reload} />`}<//>
    </div></main>
  `;
};

const Task = ({ data, show, reload }) => {
  const { task } = data;
  const draft = useDraft({ title: task.title, description: task.description });
  const [isEditing, setEditing] = useState(false);
  const [asked, setAsked] = useState(null);
  const read = async () => {
    const now = await get(`/tasks/${task.id}`);
    show(now);
    return now.task;
  };
  const write = async (body) => Object.keys(body).length && show({ ...data, task: (await patch(`/tasks/${task.id}`, body)).task });
  const save = async () => {
    if (await draft.save(read, write)) setEditing(false);
  };
  // Shows a choice at once, and the former one again if it is refused.
  const choose = async (seen, body, saying) => {
    show({ ...data, task: { ...task, ...seen } });
    const answer = await attempt(() => patch(`/tasks/${task.id}`, body), saying);
    if (answer) show({ ...data, task: answer.task });
    else {
      show(data);
      reload();
    }
  };
  const moveTo = (status) => {
    if (status === "done" && task.signalId) return setAsked("done");
    return choose({ status }, { status }, `Moved to ${named(COLUMNS, status)}.`);
  };
  const end = async (what) => {
    if (what === "done") return void choose({ status: "done" }, { status: "done" }, "Moved to Done.");
    await (what === "decline" ? post(`/tasks/${task.id}/decline`) : remove(`/tasks/${task.id}`));
    say(what === "decline" ? `${task.key} declined.` : `${task.key} deleted.`);
    return open("/tasks");
  };
  const items = [
    copyLink(`/tasks/${task.key}`),
    "-",
    task.status === "requests" && { text: "Decline …", danger: true, run: () => setAsked("decline") },
    { text: "Delete …", icon: "trash", danger: true, run: () => setAsked("remove") },
  ];
  return html`
    <div class="page-head">
      <h1><small class="code">${task.key}</small> ${task.title}</h1>
      ${!isEditing && html`<${Button} icon="edit" onClick=${() => setEditing(true)}>Edit<//>`}<${Menu} label="More actions" items=${items} />
    </div>
    <div class="sides">
      <div>
        ${isEditing || draft.isDirty
          ? html`<${DraftForm} draft=${draft} known=${task} fields=${FIELDS} onSave=${save} onCancel=${() => (draft.drop(), setEditing(false))} />`
          : task.description ? html`<${Markdown} text=${task.description} />` : html`<p class="hint">No description.</p>`}
      </div>
      <${Side} task=${task} moveTo=${moveTo} choose=${choose} />
      <${Linked} data=${data} />
    </div>
    ${asked && html`<${Confirm} ...${ASKED[asked](task)} danger=${asked !== "done"} run=${() => end(asked)} onClose=${() => setAsked(null)} />`}
  `;
};

const Side = ({ task, moveTo, choose }) => {
  const assignees = useAssignees(task.assignee);
  const assign = (userId) => {
    const name = named(assignees, userId);
    return choose({ assignee: userId ? { userId, name } : null }, { assigneeId: userId || null }, userId ? `Assigned to ${name}.` : "Unassigned.");
  };
  return html`
    <aside class="side" aria-label="Details">
      <${Choice} label="Column" value=${task.status} options=${COLUMNS} onChange=${moveTo} />
      <${Choice} label="Priority" value=${task.priority ?? ""} options=${NO_PRIORITY}
        onChange=${(priority) => choose({ priority: priority || null }, { priority: priority || null }, "Priority saved.")} />
      <${Choice} label="Assigned to" value=${task.assignee?.userId ?? ""} options=${assignees}
        onChange=${assign} />
      <dl class="facts">
        ${task.signalId && html`<dt>Signal</dt><dd><a href=${href(`/signals/${task.signalId}`)}>What customers report</a></dd>`}
        ${task.codehost && html`<dt>Issue</dt><dd><${Out} to=${task.codehost.url}>#${task.codehost.number}<//></dd>`}
        ${task.tracker && html`<dt>Tracker</dt><dd><${Out} to=${task.tracker.url}>${task.tracker.identifier}<//></dd>`}
        <dt>Added</dt><dd>${date(task.createdAt)} by ${task.createdByName}</dd>
        <dt>Changed</dt><dd><${Time} at=${task.updatedAt} /></dd>
        ${task.doneAt && html`<dt>Done</dt><dd>${date(task.doneAt)}</dd>`}
      </dl>
    </aside>
  `;
};

const STATES = { open: "info", merged: "good", closed: "plain" };

const Linked = ({ data: { task, commits, pullRequests } }) => html`
  <section>
    <h2 class="section-head">Commits and pull requests</h2>
    ${commits.length + pullRequests.length === 0 ? html`
      <p class="hint">None yet. To link one, name <code>${task.key}</code> in a commit message or a pull request of a connected repository.</p>
    ` : html`
      <ul class="rows">
        ${pullRequests.map((each) => html`
          <li key=${`${each.repo}#${each.number}`}><span class="grow"><${Out} to=${each.url}>${each.title}<//>
            <small>${each.repo} #${each.number} · <${Time} at=${each.reportedAt} /></small></span>
            <${Badge} tone=${STATES[each.state]}>${each.state}<//></li>`)}
        ${commits.map((each) => html`
          <li key=${each.repo + each.sha}><span class="grow"><${Out} to=${each.url}>${each.message}<//>
            <small>
              ${each.repo} <code>${each.sha.slice(0, 8)}</code>${each.author && ` · ${each.author}`} · <${Time} at=${each.reportedAt} />
            </small></span></li>`)}
      </ul>
    `}
  </section>
`;
