// A signal's page: what it is, who reported it in which words, the commits that may finish it, and what it is linked to.
import { html, useEffect, useState } from "./vendor/htm-preact.js";
import { get, patch, post } from "./api.js";
import { copyLink } from "./copying.js";
import { Shown, useLoaded } from "./loading.js";
import { Markdown } from "./markdown.js";
import { href, open } from "./router.js";
import { memberName } from "./session.js";
import { SignalAct } from "./signal_acts.js";
import { attempt, Avatar, Badge, Button, Choice, Confirm, date, Menu, Problem, say, Time } from "./ui.js";
import { count, DraftForm, KINDS, Out, PRIORITIES, STATUSES, useDraft, useLook } from "./work.js";

const SOON_MS = 3_000;
const FIELDS = [["title", "Title", null, 200, 1], ["body", "Details", "Markdown", 10_000, 10]];

export const SignalPage = ({ id }) => {
  const loaded = useLoaded(() => get(`/signals/${id}`), [id]);
  useLook(loaded.reload);
  const merged = loaded.problem?.status === 404 && /signal_\w+/.exec(loaded.problem.message.replaceAll(id, ""))?.[0];
  useEffect(() => {
    if (!merged) return;
    say("That signal was merged into this one.");
    open(`/signals/${merged}`, { replace: true });
  }, [merged]);
  return html`
    <p class="crumb"><a href=${href("/signals")}>All signals</a></p>
    ${loaded.problem && loaded.data && html`<${Problem} problem=${loaded.problem} retry=${loaded.reload} />`}
    <${Shown} loaded=${loaded}>${(data) => html`<${Signal} data=${data} show=${loaded.set} reload=${loaded.reload} />`}<//>
  `;
};

const Signal = ({ data, show, reload }) => {
  const { signal, reporters, commits } = data;
  const draft = useDraft({ title: signal.title, body: signal.body });
  const [isEditing, setEditing] = useState(false);
  const [asked, setAsked] = useState(null);
  const task = useTask(signal);
  const read = async () => {
    const now = await get(`/signals/${signal.id}`);
    show(now);
    return now.signal;
  };
  const write = async (body) => Object.keys(body).length && show({ ...data, signal: (await patch(`/signals/${signal.id}`, body)).signal });
  const save = async () => {
    if (await draft.save(read, write)) setEditing(false);
  };
  // Shows a choice at once, and the former one again if it is refused.
  const choose = async (body, saying) => {
    const { notify, ...seen } = body;
    show({ ...data, signal: { ...signal, ...seen } });
    const answer = await attempt(() => patch(`/signals/${signal.id}`, body), saying);
    if (answer) return show({ ...data, signal: answer.signal });
    show(data);
    return reload();
  };
  const setStatus = (status) => (status === "done" && signal.reporterCount ? setAsked({ name: "done" }) : choose({ status }, "Status saved."));
  const soon = () => (reload(), setTimeout(reload, SOON_MS));
  const adopt = async () => {
    const answer = await attempt(() => post("/tasks/adopt", { signalId: signal.id }));
    if (answer) say(`${answer.key} added to Planned.`);
    reload();
  };
  const items = [
    { text: "Merge a duplicate …", icon: "merge", run: () => setAsked({ name: "merge" }) },
    { text: "Add a report …", icon: "plus", run: () => setAsked({ name: "report" }) },
    "-",
    !signal.codehost && { text: "Link a GitHub issue …", icon: "link", run: () => setAsked({ name: "codehost" }) },
    !signal.tracker && { text: "Open or link a Linear issue …", icon: "link", run: () => setAsked({ name: "tracker" }) },
    copyLink(`/signals/${signal.id}`),
  ];
  return html`
    <div class="page-head">
      <h1>${signal.title}</h1>
      ${!isEditing && html`<${Button} icon="edit" onClick=${() => setEditing(true)}>Edit<//>`}
      ${!task && ["open", "declined", "done"].includes(signal.status) && html`<${Button} icon="tasks" onClick=${adopt}>Make it a task<//>`}
      <${Menu} label="More actions" items=${items} />
    </div>
    <div class="sides">
      <div>
        ${isEditing || draft.isDirty
          ? html`<${DraftForm} draft=${draft} known=${signal} fields=${FIELDS} by=${signal.updatedBy && memberName(signal.updatedBy)}
              onSave=${save} onCancel=${() => (draft.drop(), setEditing(false))} />`
          : signal.body ? html`<${Markdown} text=${signal.body} />` : html`<p class="hint">No details.</p>`}
      </div>
      <aside class="side" aria-label="Details">
        <${Choice} label="Status" value=${signal.status} options=${STATUSES} onChange=${setStatus} />
        <${Choice} label="Priority" value=${signal.priority} options=${PRIORITIES}
          onChange=${(priority) => choose({ priority }, "Priority saved.")} />
        <${Choice} label="Kind" value=${signal.kind} options=${KINDS} onChange=${(kind) => choose({ kind }, "Kind saved.")} />
        <dl class="facts">
          ${task && html`<dt>Task</dt><dd><a href=${href(`/tasks/${task.key}`)}>${task.key}</a></dd>`}
          ${signal.codehost && html`<dt>Issue</dt><dd><${Out} to=${signal.codehost.url}>#${signal.codehost.number}<//></dd>`}
          ${signal.tracker && html`<dt>Tracker</dt><dd><${Out} to=${signal.tracker.url}>${signal.tracker.identifier}<//></dd>`}
          <dt>Filed</dt><dd>${date(signal.filedAt)}</dd>
          <dt>Changed</dt><dd><${Time} at=${signal.updatedAt} />${signal.updatedByName ? ` by ${signal.updatedByName}` : ""}</dd>
          ${signal.aliases.length > 0 && html`<dt>Also called</dt><dd>${signal.aliases.map((each) => html`<p key=${each}>${each}</p>`)}</dd>`}
        </dl>
      </aside>
      <div class="stack large">
        <${Reports} id=${signal.id} total=${signal.reporterCount} first=${reporters} cursor=${data.nextCursor} />
        ${commits.length > 0 && html`<${Commits} commits=${commits} onApply=${(commit) => setAsked({ name: "apply", commit })} />`}
      </div>
    </div>
    ${asked?.name === "apply" && html`<${Confirm} title="Apply this commit?" action="Apply commit" danger=${false} onClose=${() => setAsked(null)}
      run=${async () => (await post(`/signals/${signal.id}/commits/${asked.commit.id}/apply`), say("Applied. The signal is done."), reload())}>
      <p>“${asked.commit.message}” finished the signal: it and its task become done,
        and ${count(signal.reporterCount, "customer")} ${signal.reporterCount === 1 ? "gets" : "get"} a message.</p><//>`}
    ${asked && asked.name !== "apply" && html`
      <${SignalAct} name=${asked.name} signal=${signal} onClose=${() => setAsked(null)} onDone=${soon} choose=${choose} />`}
  `;
};

// The card that a signal was made: found by its title, because a signal doesn't name it.
const useTask = (signal) => {
  const [task, setTask] = useState(null);
  useEffect(() => {
    let isCurrent = true;
    get("/tasks", { q: signal.title.slice(0, 100), limit: 50 }).then(
      ({ tasks }) => isCurrent && setTask(tasks.find((each) => each.signalId === signal.id) ?? null),
      () => {},
    );
    return () => (isCurrent = false);
  }, [signal.id, signal.title, signal.status]);
  return task;
};

const Reports = ({ id, total, first, cursor }) => {
  const [later, setLater] = useState({ reporters: [], cursor });
  const more = async () => {
    const answer = await attempt(() => get(`/signals/${id}`, { cursor: later.cursor }));
    if (answer) setLater({ reporters: [...later.reporters, ...answer.reporters], cursor: answer.nextCursor });
  };
  const all = [...first, ...later.reporters];
  return html`
    <section>
      <h2 class="section-head">Reported by ${count(total, "customer")}</h2>
      ${all.length === 0 && html`<p class="hint">Nobody yet. File it from a conversation, and its customer is added.</p>`}
      <ul class="stack">
        ${all.map((each, index) => html`
          <li key=${index} class="report">
            <${Avatar} name=${each.who} />
            <div class="stack tight">
              <p class="buttons spread"><b>${each.who}</b><small>
                <${Time} at=${each.reportedAt} />${each.notifiedAt && html` · got the message that it's done <${Time} at=${each.notifiedAt} />`}
              </small></p>
              ${each.quote && html`<blockquote class="quote">${each.quote}</blockquote>`}
              ${each.images.length > 0 && html`<p class="images">${each.images.map((image) => html`
                <${Out} key=${image.url} to=${image.url}>
                  ${image.external ? image.name || image.url : html`<img src=${image.url} alt=${image.name || "Screenshot"} loading="lazy" />`}
                <//>`)}</p>`}
              ${each.conversations.map((one) => html`
                <a key=${one.conversationId} href=${href(`/conversations/${one.conversationId}`)}>${one.subject || "No subject"}</a>`)}
            </div>
          </li>
        `)}
      </ul>
      ${later.cursor && html`<${Button} kind="quiet" onClick=${more}>Show more reports<//>`}
    </section>
  `;
};

const Commits = ({ commits, onApply }) => html`
  <section>
    <h2 class="section-head">Commits that may finish it</h2>
    <ul class="rows">
      ${commits.map((each) => html`
        <li key=${each.id}>
          <span class="grow"><${Out} to=${each.url}>${each.message || each.sha.slice(0, 8)}<//>
            <small><code>${each.sha.slice(0, 8)}</code>${each.author ? ` by ${each.author}` : ""}${each.why ? ` · ${each.why}` : ""}</small></span>
          ${each.applied ? html`<${Badge} tone="good">Applied<//>` : html`<${Button} icon="check" onClick=${() => onApply(each)}>Apply<//>`}
        </li>
      `)}
    </ul>
  </section>
`;
