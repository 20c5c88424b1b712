// A message to a customer who isn't waiting for one. What is typed is kept in this browser until it's sent.
import { html, useRef, useState } from "./vendor/htm-preact.js";
import { post } from "./api.js";
import * as attaching from "./attaching.js";
import { open } from "./router.js";
import { remember, remembered } from "./store.js";
import { Button, Dialog, Field, Problem, say, useWrite } from "./ui.js";

const fresh = { body: "", files: [] };

const OUTCOMES = {
  queued: "Sent. It also goes out by e-mail.",
  no_address: "Sent. There's no e-mail address for them, so they read it where they wrote from.",
  upgrade_required: "Sent. Your plan doesn't include e-mail, so they read it where they wrote from.",
  not_set_up: "Sent. E-mail isn't set up, so they read it where they wrote from.",
  unsubscribed: "Sent. They unsubscribed from mail, so they read it where they wrote from.",
};

export const CustomerMessage = ({ customer, onClose }) => {
  const kept = `draft:${customer.id}`;
  const [draft, setDraft] = useState(() => remembered(kept, fresh));
  const [uploading, setUploading] = useState(false);
  const { busy, problem, write } = useWrite();
  const picker = useRef();
  const who = customer.name?.split(/\s/)[0] ?? customer.email ?? "this visitor";
  const keep = (next) => {
    setDraft(next);
    remember(kept, next.body || next.files.length ? next : null);
  };
  const attach = async (chosen) => {
    const added = [];
    setUploading(true);
    await attaching.attach(chosen, draft.files.length, (file) => added.push(file));
    setUploading(false);
    setDraft((before) => {
      const next = { ...before, files: [...before.files, ...added] };
      remember(kept, next);
      return next;
    });
  };
  const count = draft.body.trim().length;
  const mayGo = (count > 0 || draft.files.length > 0) && count <= attaching.MOST_CHARACTERS && !uploading;
  const send = async () => {
    if (!mayGo || busy) return;
    await write(async () => {
      const answer = await post(`/customers/${customer.id}/messages`, { body: draft.body, attachments: draft.files });
      remember(kept, null);
      say(OUTCOMES[answer.mail] ?? "Sent.", { ms: 8_000 });
      open(`/conversations/${answer.conversationId}`);
    });
  };
  return html`
    <${Dialog} wide title=${`Write to ${customer.name ?? customer.email ?? "this visitor"}`} onClose=${onClose} onSubmit=${send} actions=${html`
      <${Button} onClick=${onClose}>Close<//>
      <${Button} type="submit" kind="main" icon="send" busy=${busy} disabled=${!mayGo} hotkey="Ctrl Enter">Send to ${who}<//>
    `}>
      <p class="hint">It joins their newest open conversation, or begins one. ${customer.email ? `Where e-mail is set up, it's also mailed to ${customer.email}.` : "They have no e-mail address, so they read it where they wrote from."}</p>
      ${problem && html`<${Problem} problem=${problem} />`}
      <${Field} label="Message" error=${count > attaching.MOST_CHARACTERS && `${count.toLocaleString()} of ${attaching.MOST_CHARACTERS.toLocaleString()} characters. Shorten it.`}>
        <textarea rows="8" autofocus value=${draft.body} onInput=${(event) => keep({ ...draft, body: event.currentTarget.value })}
          onKeyDown=${(event) => event.key === "Enter" && (event.ctrlKey || event.metaKey) && (event.preventDefault(), send())}></textarea>
      <//>
      ${draft.files.length > 0 && html`<ul class="buttons" aria-label="Files">${draft.files.map((file) => html`
        <li key=${file.id} class="badge tag">${file.name}<button type="button" aria-label=${`Remove ${file.name}`}
          onClick=${() => keep({ ...draft, files: draft.files.filter((each) => each !== file) })}>×</button></li>
      `)}</ul>`}
      <div>
        <input ref=${picker} type="file" multiple hidden
          onChange=${(event) => (attach(event.currentTarget.files), (event.currentTarget.value = ""))} />
        <${Button} icon="clip" busy=${uploading} onClick=${() => picker.current.click()}>Attach files<//>
      </div>
    <//>
  `;
};
