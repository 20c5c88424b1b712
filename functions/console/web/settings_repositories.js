// The repositories whose Markdown files are documents here.
import { html, useState } from "./vendor/htm-preact.js";
import { get, patch, post, remove, search } from "./api.js";
import { Shown, useLoaded } from "./loading.js";
import { can } from "./session.js";
import { FormDialog, Group, useForm } from "./settings_parts.js";
import { Badge, Button, Confirm, Field, Menu, Time, attempt, say } from "./ui.js";

const ROUTE = "/integrations/repos";
const STATES = { syncing: ["info", "Reading"], synced: ["good", "Up to date"], failed: ["bad", "Failed"] };

const Edit = ({ mirror, onClose, reload }) => {
  const before = { repo: "", branch: null, path: null, publishedAt: null, ...mirror };
  const form = useForm(before, async (changes) => {
    if (mirror) await patch(ROUTE, { ...changes, repo: mirror.repo });
    else await post(ROUTE, { repo: "", ...changes });
    say("The repository is being read");
    reload();
  }, ["branch", "path", "publishedAt"]);
  return html`
    <${FormDialog} title=${mirror ? `Change ${mirror.repo}` : "Mirror a repository"} form=${form} action=${mirror ? "Save changes" : "Mirror it"} onClose=${onClose}>
      ${!mirror && html`<${Field} label="Repository" hint="owner/name, of a connected account." error=${form.error("repo")}>
        <input ...${form.text("repo")} required maxlength="140" placeholder="fern-shop/docs" autocomplete="off" /><//>`}
      <${Field} label="Branch" hint="Empty: the default branch." error=${form.error("branch")}><input ...${form.text("branch")} autocomplete="off" /><//>
      <${Field} label="Folder" hint="Empty: the whole repository. Documents of files outside it are deleted." error=${form.error("path")}>
        <input ...${form.text("path")} autocomplete="off" />
      <//>
      <${Field} label="Where the files are published" hint="Answers link there." error=${form.error("publishedAt")}>
        <input ...${form.text("publishedAt")} type="url" placeholder="https://docs.example.com/" autocomplete="off" />
      <//>
    <//>
  `;
};

const Mirror = ({ mirror, reload }) => {
  const [asked, setAsked] = useState(null);
  const close = () => setAsked(null);
  const sync = async () => {
    await attempt(() => post(`${ROUTE}/sync`, { repo: mirror.repo }), "It is being read again");
    reload();
  };
  const [tone, text] = STATES[mirror.status] ?? ["plain", mirror.status];
  return html`
    <li>
      <span class="grow"><b>${mirror.repo}</b>
        <small>${[mirror.branch, mirror.path, `${mirror.documents} documents`].filter(Boolean).join(", ")}${
          mirror.lastSyncAt && html`, read <${Time} at=${mirror.lastSyncAt} />`}</small>
        ${mirror.problem && html`<p class="error">${mirror.problem}</p>`}</span>
      <${Badge} tone=${tone}>${text}<//>
      ${can("admin") && html`<${Menu} label=${`More about ${mirror.repo}`} items=${[
        { text: "Read it again now", run: sync }, { text: "Change it", icon: "edit", run: () => setAsked("edit") },
        { text: "Remove it", icon: "trash", danger: true, run: () => setAsked("remove") },
      ]} />`}
      ${asked === "edit" && html`<${Edit} mirror=${mirror} onClose=${close} reload=${reload} />`}
      ${asked === "remove" && html`
        <${Confirm} title=${`Remove ${mirror.repo}?`} action="Remove it" onClose=${close}
          run=${async () => (await remove(`${ROUTE}?${search({ repo: mirror.repo })}`), reload())}>
          <p>Its ${mirror.documents} documents are deleted here. The repository itself stays as it is.</p><//>`}
    </li>
  `;
};

export const Repositories = () => {
  const loaded = useLoaded(() => get(ROUTE));
  const [isNew, setNew] = useState(false);
  return html`
    <${Group} title="Documents" hint="Every Markdown file of a mirrored repository is a document. A push updates it.">
      <${Shown} loaded=${loaded} lines=${3}>${({ repos }) => html`
        ${repos.length ? html`<ul class="rows" aria-label="Mirrored repositories">
          ${repos.map((each) => html`<${Mirror} key=${each.repo} mirror=${each} reload=${loaded.reload} />`)}</ul>`
          : html`<p class="hint">No repository yet.</p>`}
        ${can("admin") && html`<div><${Button} icon="plus" onClick=${() => setNew(true)}>Mirror a repository<//></div>`}
      `}<//>
    <//>
    ${isNew && html`<${Edit} onClose=${() => setNew(false)} reload=${loaded.reload} />`}
  `;
};
