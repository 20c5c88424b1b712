// What is asked before a conversation changes: whom to assign, until when to snooze, tags, a signal, the other conversation.
import { html, useEffect, useState } from "./vendor/htm-preact.js";
import { get, post, put } from "./api.js";
import { open } from "./router.js";
import { me, members, teams } from "./session.js";
import { useCell } from "./store.js";
import { attempt, Avatar, Badge, Button, Choice, dateTime, Dialog, Field, Problem, say, Time, useWrite } from "./ui.js";

const DAY_MS = 86_400_000;

// A write that closes its dialog: {busy, problem, run}.
const useAct = (onDone, onClose) => {
  const { busy, problem, write } = useWrite();
  const run = async (act, saying) => {
    if (!(await write(act))) return;
    if (saying) say(saying);
    onClose();
    onDone();
  };
  return { busy, problem, run };
};

const Assign = ({ conversation, onDone, onClose }) => {
  const people = useCell(members);
  const all = useCell(teams);
  const { problem, run } = useAct(onDone, onClose);
  const [words, setWords] = useState("");
  const mine = me.value.user.id;
  const choices = [
    ...[...people].sort((one, other) => (other.userId === mine) - (one.userId === mine) || one.name.localeCompare(other.name))
      .map((each) => ({ key: each.userId, name: each.userId === mine ? `${each.name} (you)` : each.name, body: { userId: each.userId } })),
    ...all.map((each) => ({ key: each.id, name: each.name, isTeam: true, body: { teamId: each.id } })),
    { key: "none", name: "Nobody", body: { userId: null, ...(all.length > 0 && { teamId: null }) } },
  ].filter((each) => each.name.toLowerCase().includes(words.trim().toLowerCase()));
  const chosen = (each) => each.key === (conversation.assignee ?? conversation.team ?? "none");
  const assign = (each) => run(() => post(`/conversations/${conversation.id}/assign`, each.body), each.key === "none" ? "Unassigned." : `Assigned to ${each.name}.`);
  return html`
    <${Dialog} title="Assign" onClose=${onClose} onSubmit=${() => choices[0] && assign(choices[0])}>
      <input type="text" autofocus aria-label="Find a teammate" placeholder="Find a teammate" value=${words} onInput=${(event) => setWords(event.currentTarget.value)} />
      ${problem && html`<${Problem} problem=${problem} />`}
      <ul class="choices">
        ${choices.map((each) => html`
          <li key=${each.key}><button type="button" aria-pressed=${String(chosen(each))} onClick=${() => assign(each)}>
            <${Avatar} name=${each.name} /><span>${each.name}</span>${each.isTeam && html`<${Badge} tone="info">team<//>`}
          </button></li>
        `)}
      </ul>
    <//>
  `;
};

const morning = (days) => {
  const at = new Date(Date.now() + days * DAY_MS);
  at.setHours(9, 0, 0, 0);
  return at.getTime();
};

const local = (at) => new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);

const Snooze = ({ conversation, onDone, onClose }) => {
  const { busy, problem, run } = useAct(onDone, onClose);
  const [until, setUntil] = useState(local(morning(1)));
  const untilMonday = ((8 - new Date().getDay()) % 7) || 7;
  const times = [
    ["In 1 hour", Date.now() + 3_600_000],
    ["In 3 hours", Date.now() + 3 * 3_600_000],
    ["Tomorrow at 9", morning(1)],
    ["Monday at 9", morning(untilMonday)],
    ["In a week", morning(7)],
  ];
  const snooze = (at) => run(() => post(`/conversations/${conversation.id}/snooze`, { until: at }), `Snoozed until ${dateTime(at)}.`);
  return html`
    <${Dialog} title="Snooze" onClose=${onClose} onSubmit=${() => snooze(new Date(until).getTime())}
      actions=${html`<${Button} type="submit" kind="main" busy=${busy}>Snooze until this time<//>`}>
      ${problem && html`<${Problem} problem=${problem} />`}
      <ul class="choices">
        ${times.map(([text, at]) => html`<li key=${text}><button type="button" onClick=${() => snooze(at)}><span>${text}</span><small>${dateTime(at)}</small></button></li>`)}
      </ul>
      <${Field} label="Another time" hint="It also comes back when the customer writes."><input type="datetime-local" value=${until} onInput=${(event) => setUntil(event.currentTarget.value)} /><//>
    <//>
  `;
};

const Tags = ({ conversation, onDone, onClose }) => {
  const { busy, problem, run } = useAct(onDone, onClose);
  const [tags, setTags] = useState(conversation.tags ?? []);
  const [typed, setTyped] = useState("");
  const [used, setUsed] = useState([]);
  useEffect(() => {
    get("/tags", { limit: 200 }).then((answer) => setUsed(answer.tags), () => {});
  }, []);
  const add = (tag) => {
    const name = tag.trim();
    if (name && !tags.includes(name)) setTags([...tags, name]);
    setTyped("");
  };
  const save = () => {
    const last = typed.trim();
    const all = last && !tags.includes(last) ? [...tags, last] : tags;
    return run(() => put(`/conversations/${conversation.id}/tags`, { tags: all }), "Tags saved.");
  };
  const onKey = (event) => {
    if ((event.key === "Enter" || event.key === ",") && typed.trim()) {
      event.preventDefault();
      add(typed);
    } else if (event.key === "Backspace" && !typed) setTags(tags.slice(0, -1));
  };
  const offered = used.filter((each) => !tags.includes(each) && each.toLowerCase().includes(typed.trim().toLowerCase())).slice(0, 12);
  return html`
    <${Dialog} title="Tags" onClose=${onClose} onSubmit=${save} actions=${html`<${Button} onClick=${onClose}>Cancel<//><${Button} type="submit" kind="main" busy=${busy}>Save<//>`}>
      ${problem && html`<${Problem} problem=${problem} />`}
      <div class="buttons">
        ${tags.map((tag) => html`<span key=${tag} class="badge tag">${tag}<button type="button" aria-label=${`Remove ${tag}`} onClick=${() => setTags(tags.filter((each) => each !== tag))}>×</button></span>`)}
      </div>
      <${Field} label="Add a tag" hint="Enter adds it. Up to 20 tags of 40 characters.">
        <input maxlength="40" autocomplete="off" autofocus value=${typed} onInput=${(event) => setTyped(event.currentTarget.value)} onKeyDown=${onKey} />
      <//>
      ${offered.length > 0 && html`<div class="buttons" role="group" aria-label="Tags in use">${offered.map((tag) => html`<${Button} key=${tag} icon="plus" kind="quiet" onClick=${() => add(tag)}>${tag}<//>`)}</div>`}
    <//>
  `;
};

const Signal = ({ conversation, entries, onDone, onClose }) => {
  const { busy, problem, run } = useAct(onDone, onClose);
  const quoted = [...entries].reverse().find((each) => each.sender === "visitor" && each.kind === "message");
  const [kind, setKind] = useState("bug");
  const [title, setTitle] = useState("");
  const [body, setBody] = useState("");
  const [quote, setQuote] = useState((quoted?.body ?? "").slice(0, 500));
  const [similar, setSimilar] = useState([]);
  useEffect(() => {
    if (title.trim().length < 4) return setSimilar([]);
    let isCurrent = true;
    const timer = setTimeout(() => get("/signals/similar", { title: title.trim() }).then((answer) => isCurrent && setSimilar(answer.signals.slice(0, 4)), () => {}), 300);
    return () => ((isCurrent = false), clearTimeout(timer));
  }, [title]);
  const report = { conversationId: conversation.id, ...(quote.trim() && { quote: quote.trim() }) };
  const file = () => run(() => post("/signals", { ...report, kind, title: title.trim(), ...(body.trim() && { body: body.trim() }) }), "Filed. The reporter is notified when it's done.");
  const join = (each) => run(() => post(`/signals/${each.id}/reports`, report), `Added to “${each.title}”.`);
  return html`
    <${Dialog} title="File a signal" onClose=${onClose} onSubmit=${file}
      actions=${html`<${Button} onClick=${onClose}>Cancel<//><${Button} type="submit" kind="main" busy=${busy} disabled=${!title.trim()}>File it<//>`}>
      ${problem && html`<${Problem} problem=${problem} />`}
      <${Choice} label="Kind" value=${kind} options=${[["bug", "Bug"], ["suggestion", "Suggestion"]]} onChange=${setKind} />
      <${Field} label="Title" hint="What is wrong or missing, in one line."><input autofocus maxlength="200" value=${title} onInput=${(event) => setTitle(event.currentTarget.value)} /><//>
      ${similar.length > 0 && html`
        <div class="similar">
          <p><b>Is it one of these?</b> Add this customer's report to it instead.</p>
          <ul class="choices">${similar.map((each) => html`<li key=${each.id}><button type="button" onClick=${() => join(each)}><span>${each.title}</span><${Badge}>${each.status}<//></button></li>`)}</ul>
        </div>
      `}
      <${Field} label="Details"><textarea value=${body} onInput=${(event) => setBody(event.currentTarget.value)}></textarea><//>
      <${Field} label="The customer's words"><textarea value=${quote} onInput=${(event) => setQuote(event.currentTarget.value)}></textarea><//>
    <//>
  `;
};

const Merge = ({ conversation, onDone, onClose }) => {
  const { busy, problem, run } = useAct(onDone, onClose);
  const [others, setOthers] = useState(null);
  const [into, setInto] = useState("");
  useEffect(() => {
    attempt(() => get("/conversations", { customerId: conversation.customer.id, limit: 50 }))
      .then((answer) => setOthers((answer?.conversations ?? []).filter((each) => each.id !== conversation.id && !each.archivedAt)));
  }, []);
  const merge = () => run(async () => {
    await post(`/conversations/${conversation.id}/merge`, { into: into.trim() });
    open(`/conversations/${into.trim()}`);
  }, "Merged.");
  return html`
    <${Dialog} title="Merge into another conversation" onClose=${onClose} onSubmit=${merge}
      actions=${html`<${Button} onClick=${onClose}>Cancel<//><${Button} type="submit" kind="main" busy=${busy} disabled=${!into.trim()}>Merge<//>`}>
      <p>This conversation ends in the other one, which shows the messages of both. You can't undo it.</p>
      ${problem && html`<${Problem} problem=${problem} />`}
      ${others?.length > 0 && html`
        <ul class="choices" aria-label="Other conversations of this customer">
          ${others.map((each) => html`<li key=${each.id}><button type="button" aria-pressed=${String(into === each.id)} onClick=${() => setInto(each.id)}>
            <span>${each.subject || "No subject"}</span><${Badge}>${each.status}<//><${Time} at=${each.lastMessageAt} /></button></li>`)}
        </ul>
      `}
      ${others?.length === 0 && html`<p class="hint">This customer has no other conversation.</p>`}
      <${Field} label="Or its ID"><input value=${into} onInput=${(event) => setInto(event.currentTarget.value)} placeholder="conv_…" /><//>
    <//>
  `;
};

const ASKED = { assign: Assign, snooze: Snooze, tags: Tags, signal: Signal, merge: Merge };

export const Act = ({ name, ...rest }) => html`<${ASKED[name]} ...${rest} />`;
