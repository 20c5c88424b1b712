// Saved replies: texts that the team inserts into its answers, with placeholders that the console fills in.
import { html, useRef, useState } from "./vendor/htm-preact.js";
import { everyPage, patch, post, remove } from "./api.js";
import { useLoaded } from "./loading.js";
import { FormDialog, Head, Ready, useForm } from "./settings_parts.js";
import { Button, Confirm, Empty, Field, Menu, date, say } from "./ui.js";

const PLACEHOLDERS = [
  ["{{customer.name}}", "Customer's name"], ["{{customer.email}}", "Customer's e-mail"], ["{{teammate.name}}", "Your name"], ["{{organization.name}}", "Organization"],
];

const all = async () => (await everyPage("/replies", "replies")).sort((one, other) => one.title.localeCompare(other.title));

const Edit = ({ reply, onClose, reload }) => {
  const area = useRef();
  const form = useForm({ title: reply?.title ?? "", body: reply?.body ?? "" }, async (changes) => {
    if (reply) await patch(`/replies/${reply.id}`, changes);
    else await post("/replies", { title: "", body: "", ...changes });
    say(reply ? "Changes saved" : "The reply is saved");
    reload();
  });
  const insert = (text) => {
    const { selectionStart: from, selectionEnd: to, value } = area.current;
    form.set("body", value.slice(0, from) + text + value.slice(to));
    area.current.focus();
    requestAnimationFrame(() => area.current?.setSelectionRange(from + text.length, from + text.length));
  };
  return html`
    <${FormDialog} title=${reply ? "Change the saved reply" : "New saved reply"} form=${form} action=${reply ? "Save changes" : "Save the reply"} onClose=${onClose} wide>
      <${Field} label="Title" hint="How your team finds it." error=${form.error("title")}><input ...${form.text("title")} required maxlength="80" autocomplete="off" /><//>
      <${Field} label="Text" error=${form.error("body")}><textarea ref=${area} ...${form.text("body")} required rows="9" maxlength="4000" /><//>
      <div class="buttons" role="group" aria-label="Insert a placeholder">
        <small>Insert:</small>${PLACEHOLDERS.map(([text, label]) => html`<${Button} key=${text} kind="quiet" onClick=${() => insert(text)}>${label}<//>`)}
      </div>
    <//>
  `;
};

const Row = ({ reply, reload }) => {
  const [asked, setAsked] = useState(null);
  return html`
    <li>
      <span class="grow"><b>${reply.title}</b><small class="lines">${reply.body}</small></span>
      <small>${reply.createdByName}, ${date(reply.updatedAt ?? reply.createdAt)}</small>
      <span class="buttons">
        <${Button} icon="edit" kind="quiet" label=${`Change ${reply.title}`} onClick=${() => setAsked("edit")} />
        <${Menu} label=${`More about ${reply.title}`} items=${[{ text: "Delete", icon: "trash", danger: true, run: () => setAsked("delete") }]} />
      </span>
      ${asked === "edit" && html`<${Edit} reply=${reply} onClose=${() => setAsked(null)} reload=${reload} />`}
      ${asked === "delete" && html`
        <${Confirm} title=${`Delete “${reply.title}”?`} action="Delete" onClose=${() => setAsked(null)}
          run=${async () => {
            await remove(`/replies/${reply.id}`);
            say("The reply was deleted");
            reload();
          }}><p>Nobody on your team can insert it any more. Answers that were sent stay.</p><//>
      `}
    </li>
  `;
};

const List = ({ replies, reload, onNew }) => {
  const [words, setWords] = useState("");
  const wanted = words.trim().toLowerCase();
  const shown = replies.filter((each) => `${each.title}\n${each.body}`.toLowerCase().includes(wanted));
  if (!replies.length) {
    return html`<${Empty} icon="reply" title="Answers you write again and again">
      <p>Save one here, and insert it in a conversation with two keys.</p><${Button} kind="main" icon="plus" onClick=${onNew}>New saved reply<//><//>`;
  }
  return html`
    <div class="stack">
      ${replies.length > 8 && html`<input type="search" class="narrow" aria-label="Find a saved reply" placeholder="Find a saved reply" value=${words}
        onInput=${(event) => setWords(event.currentTarget.value)} />`}
      ${shown.length ? html`<ul class="rows" aria-label="Saved replies">${shown.map((each) => html`<${Row} key=${each.id} reply=${each} reload=${reload} />`)}</ul>`
        : html`<p class="hint" role="status">No saved reply has these words.</p>`}
    </div>
  `;
};

export default function Replies() {
  const loaded = useLoaded(all);
  const [isNew, setNew] = useState(false);
  return html`
    <${Head} title="Saved replies" lead="Texts that everyone on your team can insert while they answer.">
      ${loaded.data?.length > 0 && html`<${Button} kind="main" icon="plus" onClick=${() => setNew(true)}>New saved reply<//>`}
    <//>
    <${Ready} loaded=${loaded}>${(replies) => html`<${List} replies=${replies} reload=${loaded.reload} onNew=${() => setNew(true)} />`}<//>
    ${isNew && html`<${Edit} onClose=${() => setNew(false)} reload=${loaded.reload} />`}
  `;
}
