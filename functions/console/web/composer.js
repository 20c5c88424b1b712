// Where replies and notes are written. The two differ in colour, label and button, and the button names whom it reaches.
import { html, useEffect, useRef, useState } from "./vendor/htm-preact.js";
import { everyPage, post } from "./api.js";
import * as attaching from "./attaching.js";
import { Finder } from "./finder.js";
import { Icon } from "./icons.js";
import { typing } from "./live.js";
import * as outbox from "./outbox.js";
import { me } from "./session.js";
import { remember, remembered, useCell } from "./store.js";
import { attempt, Button, Menu, say } from "./ui.js";

const fresh = { body: "", files: [] };

const reached = (conversation) => {
  const who = conversation.customer.name?.split(/\s/)[0] ?? conversation.customer.email ?? "visitor";
  return conversation.channel === "email" ? `${who} by e-mail` : who;
};

const filledIn = (body, conversation) => {
  const { user, organization } = me.value;
  const values = {
    "customer.name": conversation.customer.name ?? "",
    "customer.email": conversation.customer.email ?? "",
    "teammate.name": user.name,
    "organization.name": organization.name,
  };
  return body.replace(/\{\{\s*([a-z.]+)\s*\}\}/g, (whole, name) => (Object.hasOwn(values, name) ? values[name] : whole));
};

export const Composer = ({ conversation, mode, setMode, input, onWritten, onNext, writers }) => {
  const { id } = conversation;
  const isNote = mode === "note";
  const kept = `draft:${id}:${mode}`;
  const [draft, setDraft] = useState(() => remembered(kept, fresh));
  const [uploading, setUploading] = useState(0);
  const [moved, setMoved] = useState(false);
  const [picks, setPicks] = useState(false);
  const [busy, setBusy] = useState(false);
  const picker = useRef();
  const isTakenBack = useRef(false);
  const held = useCell(outbox.waiting)[id];
  const current = useRef();
  current.current = { id, kept };

  useEffect(() => setDraft(remembered(kept, fresh)), [kept]);
  useEffect(() => {
    const box = input.current;
    if (!box) return;
    box.style.height = "auto";
    box.style.height = `${Math.min(box.scrollHeight + 2, 320)}px`;
  }, [draft.body, held]);

  const keep = (next, where = kept) => {
    const filled = next.body || next.files.length;
    remember(where, filled ? next : null);
    if (where === current.current.kept) setDraft(next);
  };
  const type = (body) => {
    keep({ ...draft, body });
    if (body && !isNote) typing(id);
  };
  const attach = async (chosen) => {
    let next = draft;
    setUploading((count) => count + 1);
    await attaching.attach(chosen, draft.files.length, (file) => keep((next = { body: input.current?.value ?? next.body, files: [...next.files, file] })));
    setUploading((count) => count - 1);
  };
  const tooLong = draft.body.trim().length > attaching.MOST_CHARACTERS;
  const isEmpty = !draft.body.trim() && !draft.files.length;

  const note = async () => {
    setBusy(true);
    const done = await attempt(() => post(`/conversations/${id}/note`, { body: draft.body, attachments: draft.files }));
    setBusy(false);
    if (!done) return;
    keep(fresh);
    onWritten();
  };
  const reply = ({ resolves = false, anyway = false } = {}) => {
    const sent = draft;
    const where = kept;
    const isResolved = conversation.status === "resolved";
    const body = { body: sent.body, attachments: sent.files, ...(conversation.handledBy === "agent" && { takeOver: true }), ...(isResolved && { reopen: true }) };
    if (!anyway && conversation.lastMessageId) body.ifLastMessageId = conversation.lastMessageId;
    keep(fresh);
    setMoved(false);
    outbox.hold(id, {
      body,
      draft: sent,
      sent: async () => {
        if (resolves) await attempt(() => post(`/conversations/${id}/resolve`), "Sent and resolved.");
        if (current.current.id === id) await onWritten();
      },
      failed: (problem) => {
        keep(sent, where);
        if (problem.code === "conversation_moved" && current.current.id === id) {
          setMoved(true);
          onWritten();
        } else say(`Your reply wasn't sent. ${problem.message} It's back in the reply box.`, { tone: "bad", ms: 10_000 });
      },
    });
    if (resolves) onNext();
  };
  const send = (options) => {
    if (isEmpty || tooLong || uploading || busy || held) return;
    if (isNote) note();
    else reply(options);
  };
  const takeBack = () => {
    const reply = outbox.takeBack(id);
    if (reply) keep(reply.draft, `draft:${id}:reply`);
    setMode("reply");
    isTakenBack.current = true;
  };
  useEffect(() => {
    if (isTakenBack.current && !held) input.current?.focus();
    isTakenBack.current = false;
  }, [held]);
  const insert = (text) => {
    setPicks(false);
    const box = input.current;
    const at = box?.selectionStart ?? draft.body.length;
    keep({ ...draft, body: draft.body.slice(0, at) + text + draft.body.slice(box?.selectionEnd ?? at) });
    setTimeout(() => input.current?.focus());
  };
  const onKey = (event) => {
    if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) {
      event.preventDefault();
      send({ resolves: event.shiftKey });
    } else if (event.key === "Escape") event.currentTarget.blur();
    else if (event.key === "/" && !draft.body && !isNote) {
      event.preventDefault();
      setPicks(true);
    }
  };

  if (held && !isNote) {
    return html`
      <div class="composer held" role="status">
        <p>Sending to <b>${reached(conversation)}</b> in a moment …</p>
        <p class="clip hint">${held.draft.body}</p>
        <${Button} onClick=${takeBack}>Take back<//>
      </div>
    `;
  }
  return html`
    <form class=${`composer ${mode}`} onSubmit=${(event) => (event.preventDefault(), send())}
      onDragOver=${(event) => event.preventDefault()} onDrop=${(event) => (event.preventDefault(), attach(event.dataTransfer.files))}>
      <div class="modes" role="group" aria-label="What you write">
        <button type="button" aria-pressed=${String(!isNote)} onClick=${() => setMode("reply")}><${Icon} name="reply" size=${14} /> Reply</button>
        <button type="button" aria-pressed=${String(isNote)} onClick=${() => setMode("note")}><${Icon} name="note" size=${14} /> Note</button>
        ${!isNote && conversation.handledBy === "agent" && html`<span class="hint">Your reply takes over from the agent.</span>`}
        ${isNote && html`<span class="hint">Only your team sees notes.</span>`}
      </div>
      ${moved && !isNote && html`
        <div class="moved" role="alert">
          <p><b>Somebody wrote while you did.</b> Read what is new above, then send your reply or change it.</p>
          <${Button} onClick=${() => send({ anyway: true })}>Send anyway<//>
        </div>
      `}
      ${writers.length > 0 && !isNote && html`<p class="moved" role="status"><b>${writers[0]} is writing a reply</b>, too.</p>`}
      <textarea ref=${input} rows="2" value=${draft.body} aria-label=${isNote ? "Note for your team" : `Reply to ${reached(conversation)}`}
        placeholder=${isNote ? "A note for your team …" : `Reply to ${reached(conversation)} … ( / for saved replies)`}
        onInput=${(event) => type(event.currentTarget.value)} onKeyDown=${onKey}
        onPaste=${(event) => event.clipboardData.files.length && (event.preventDefault(), attach(event.clipboardData.files))}></textarea>
      ${tooLong && html`<p class="error">${draft.body.trim().length.toLocaleString()} of ${attaching.MOST_CHARACTERS.toLocaleString()} characters. Shorten it, or send it in two.</p>`}
      ${(draft.files.length > 0 || uploading > 0) && html`
        <ul class="files">
          ${draft.files.map((file) => html`
            <li key=${file.id}><span class="clip">${file.name}</span>
              <${Button} icon="close" kind="quiet" label=${`Remove ${file.name}`} onClick=${() => keep({ ...draft, files: draft.files.filter((each) => each !== file) })} /></li>
          `)}
          ${uploading > 0 && html`<li role="status">Uploading …</li>`}
        </ul>
      `}
      <div class="composer-foot">
        <input ref=${picker} type="file" multiple hidden onChange=${(event) => (attach(event.currentTarget.files), (event.currentTarget.value = ""))} />
        <${Button} icon="clip" kind="quiet" label="Attach files" onClick=${() => picker.current.click()} />
        ${!isNote && html`<${Button} icon="bolt" kind="quiet" label="Saved replies" onClick=${() => setPicks(true)} />`}
        <span class="grow"></span>
        <${Button} type="submit" kind="main" busy=${busy} disabled=${isEmpty || tooLong || uploading > 0} hotkey="Ctrl Enter">
          ${isNote ? "Add note for your team" : `Send to ${reached(conversation)}`}
        <//>
        ${!isNote && html`<${Menu} label="Other ways to send" icon="down" align="end up" items=${[
          { text: "Send and resolve", icon: "check", disabled: isEmpty, run: () => send({ resolves: true }) },
        ]} />`}
      </div>
      ${picks && html`<${SavedReplies} onClose=${() => setPicks(false)} onPick=${(each) => insert(filledIn(each.body, conversation))} />`}
    </form>
  `;
};

const SavedReplies = ({ onClose, onPick }) => {
  const [all, setAll] = useState(null);
  const [words, setWords] = useState("");
  useEffect(() => {
    attempt(() => everyPage("/replies", "replies")).then((found) => setAll(found ?? []));
  }, []);
  const typed = words.trim().toLowerCase();
  const found = (all ?? []).filter((each) => `${each.title} ${each.body}`.toLowerCase().includes(typed)).slice(0, 30);
  const draw = (reply) => html`<b>${reply.title}</b><span>${reply.body}</span>`;
  return html`
    <${Finder} title="Saved replies" label="Search saved replies" words=${words} onWords=${setWords}
      hits=${found.map((each) => ({ ...each, key: each.id }))} draw=${draw} onPick=${onPick} onClose=${onClose}>
      ${all && !found.length && html`<p class="hint">${all.length ? "No saved reply has these words." : "There are no saved replies yet. Add them in Settings."}</p>`}
    <//>
  `;
};
