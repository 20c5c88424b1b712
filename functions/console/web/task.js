// A card of the task board: its page with what is linked to it, and the dialog that adds one.
import { html, useState } from "./vendor/htm-preact.js";
import { get, patch, post, remove } from "./api.js";
import { Shown, useLoaded } from "./loading.js";
import { Markdown } from "./markdown.js";
import { href, open } from "./router.js";
import { me, members } from "./session.js";
import { remember, remembered, useCell } from "./store.js";
import { COLUMNS } from "./task_moves.js";
import { attempt, Badge, Button, Choice, Confirm, date, Dialog, Field, Menu, Problem, say, Time } from "./ui.js";
import { Clashes, named, Out, PRIORITIES, useDraft, useLook } from "./work.js";

const NO_PRIORITY = [["", "No priority"], ...PRIORITIES];
const DRAFT = "task-draft";

const useAssignees = (current) => {
  const people = useCell(members).map((each) => [each.userId, each.userId === me.value.user.id ? `${each.name} (you)` : each.name]);
  const isKnown = !current || people.some(([id]) => id === current.userId);
  return [["", "Nobody"], ...(isKnown ? [] : [[current.userId, current.name]]), ...people];
};

export const NewTask = ({ status, onClose, onAdded }) => {
  const [values, setValues] = useState({ title: "", description: "", priority: "", assigneeId: "", ...remembered(DRAFT, {}), status });
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState(null);
  const assignees = useAssignees(null);
  const set = (name) => (value) => {
    const next = { ...values, [name]: value };
    setValues(next);
    remember(DRAFT, next.title || next.description ? next : null);
  };
  const typed = (name) => (event) => set(name)(event.currentTarget.value);
  const add = async () => {
    setBusy(true);
    setProblem(null);
    try {
      const { key } = await post("/tasks", { ...values, title: values.title.trim(), priority: values.priority || null, assigneeId: values.assigneeId || null });
      remember(DRAFT, null);
      say(`${key} added to ${named(COLUMNS, values.status)}.`);
      onAdded();
      onClose();
    } catch (error) {
      setProblem(error);
      setBusy(false);
    }
  };
  return html`
    <${Dialog} title="Add a task" onClose=${onClose} onSubmit=${add}
      actions=${html`<${Button} onClick=${onClose}>Cancel<//><${Button} kind="main" type="submit" busy=${busy} disabled=${!values.title.trim()}>Add task<//>`}>
      ${problem && html`<${Problem} problem=${problem} />`}
      <${Field} label="Title"><input value=${values.title} maxlength="200" required onInput=${typed("title")} /><//>
      <${Field} label="Description" hint="Markdown. What you type is kept in this browser until you add the task."><textarea rows="5" value=${values.description} maxlength="20000" onInput=${typed("description")}></textarea><//>
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
    { text: "Copy link", icon: "link", run: () => attempt(() => navigator.clipboard.writeText(location.origin + href(`/tasks/${task.key}`)), "Copied.") },
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
          ? html`<${Form} draft=${draft} task=${task} onSave=${save} onCancel=${() => (draft.drop(), setEditing(false))} />`
          : task.description ? html`<${Markdown} text=${task.description} />` : html`<p class="hint">No description.</p>`}
      </div>
      <${Side} task=${task} moveTo=${moveTo} choose=${choose} />
      <${Linked} data=${data} />
    </div>
    ${asked === "done" && html`<${Confirm} title=${`Move ${task.key} to Done?`} action="Move to Done" danger=${false} run=${() => end("done")} onClose=${() => setAsked(null)}>
      <p>The customers who reported it get a message that it's done. You can't take that back.</p><//>`}
    ${asked === "remove" && html`<${Confirm} title=${`Delete ${task.key}?`} action="Delete task" run=${() => end("remove")} onClose=${() => setAsked(null)}>
      <p>“${task.title}” and its links to commits are deleted.${task.signalId ? " Its signal stays, as a request again unless it was done." : ""}</p><//>`}
    ${asked === "decline" && html`<${Confirm} title=${`Decline ${task.key}?`} action="Decline" run=${() => end("decline")} onClose=${() => setAsked(null)}>
      <p>“${task.title}” leaves the board${task.signalId ? ", and its signal becomes declined. Its customers get no message" : ""}.</p><//>`}
  `;
};

const Form = ({ draft, task, onSave, onCancel }) => html`
  <form class="stack" onSubmit=${(event) => (event.preventDefault(), onSave())}
    onKeyDown=${(event) => event.key === "Enter" && (event.metaKey || event.ctrlKey) && (event.preventDefault(), onSave())}>
    <${Field} label="Title"><input value=${draft.values.title} maxlength="200" required onInput=${(event) => draft.set("title", event.currentTarget.value)} /><//>
    <${Field} label="Description" hint="Markdown">
      <textarea rows="12" value=${draft.values.description} maxlength="20000" onInput=${(event) => draft.set("description", event.currentTarget.value)}></textarea>
    <//>
    <${Clashes} draft=${draft} known=${task} names=${{ title: "title", description: "description" }} />
    ${draft.problem && html`<${Problem} problem=${draft.problem} />`}
    <div class="buttons">
      <${Button} kind="main" type="submit" busy=${draft.busy} disabled=${draft.clashes.length > 0}>Save changes<//><${Button} onClick=${onCancel}>Cancel<//>
    </div>
  </form>
`;

const Side = ({ task, moveTo, choose }) => {
  const assignees = useAssignees(task.assignee);
  return html`
    <aside class="side" aria-label="Details">
      <${Choice} label="Column" value=${task.status} options=${COLUMNS} onChange=${moveTo} />
      <${Choice} label="Priority" value=${task.priority ?? ""} options=${NO_PRIORITY}
        onChange=${(priority) => choose({ priority: priority || null }, { priority: priority || null }, "Priority saved.")} />
      <${Choice} label="Assigned to" value=${task.assignee?.userId ?? ""} options=${assignees}
        onChange=${(userId) => choose({ assignee: userId ? { userId, name: named(assignees, userId) } : null }, { assigneeId: userId || null }, userId ? `Assigned to ${named(assignees, userId)}.` : "Unassigned.")} />
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
    ${commits.length + pullRequests.length === 0 ? html`<p class="hint">None yet. Name <code>${task.key}</code> in a commit message or a pull request of a connected repository to link it.</p>` : html`
      <ul class="rows">
        ${pullRequests.map((each) => html`
          <li key=${`${each.repo}#${each.number}`}><span class="grow"><${Out} to=${each.url}>${each.title}<//><small>${each.repo} #${each.number} · <${Time} at=${each.reportedAt} /></small></span>
            <${Badge} tone=${STATES[each.state]}>${each.state}<//></li>`)}
        ${commits.map((each) => html`
          <li key=${each.repo + each.sha}><span class="grow"><${Out} to=${each.url}>${each.message}<//>
            <small>${each.repo} <code>${each.sha.slice(0, 8)}</code>${each.author ? ` · ${each.author}` : ""} · <${Time} at=${each.reportedAt} /></small></span></li>`)}
      </ul>
    `}
  </section>
`;
