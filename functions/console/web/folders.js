// The folders of the knowledge base: a list to choose from, and what can be done with each.
import { html, useState } from "./vendor/htm-preact.js";
import { patch, post, remove } from "./api.js";
import { Icon } from "./icons.js";
import { depthOf, folders, folderOptions, loadFolders, pathOf } from "./knowledge_data.js";
import { useCell } from "./store.js";
import { attempt, Button, Choice, Confirm, Dialog, Field, Menu, Problem, say, Switch, useWrite } from "./ui.js";

const MOST_DEPTH = 3;

const siblings = (folder) => folders.value.filter((each) => each.parentId === folder.parentId).map((each) => each.id);

const inside = (id) => folders.value.filter((each) => pathOf(each.id).some((around) => around.id === id)).map((each) => each.id);

// Creates a folder, or changes one.
const FolderForm = ({ folder, parentId, onClose }) => {
  const [name, setName] = useState(folder?.name ?? "");
  const [parent, setParent] = useState(folder?.parentId ?? parentId ?? "none");
  const [published, setPublished] = useState(folder?.published ?? false);
  const { busy, problem, write } = useWrite();
  const own = folder ? inside(folder.id) : [];
  const places = folderOptions("Top level").filter(([id]) => id === "none" || (!own.includes(id) && depthOf(id) < MOST_DEPTH));
  const submit = async () => {
    const to = parent === "none" ? null : parent;
    await write(async () => {
      if (!folder) await post("/knowledge/folders", { name: name.trim(), parentId: to, published });
      else {
        const isMoved = to !== folder.parentId;
        await patch(`/knowledge/folders/${folder.id}`, {
          ...(name.trim() !== folder.name && { name: name.trim() }), ...(isMoved && { parentId: to }), ...(published !== folder.published && { published }),
        });
      }
      await loadFolders();
      say(folder ? "Folder changed." : "Folder created.");
      onClose();
    });
  };
  return html`
    <${Dialog} title=${folder ? `Change “${folder.name}”` : "New folder"} onClose=${onClose} onSubmit=${submit}
      actions=${html`<${Button} onClick=${onClose}>Cancel<//><${Button} type="submit" kind="main" busy=${busy} disabled=${!name.trim()}>
        ${folder ? "Save changes" : "Create folder"}<//>`}>
      ${problem && html`<${Problem} problem=${problem} />`}
      <${Field} label="Name"><input autofocus maxlength="80" value=${name} onInput=${(event) => setName(event.currentTarget.value)} /><//>
      <${Choice} label="Inside" value=${parent} options=${places} onChange=${setParent} />
      <${Switch} label="On the help site" hint="Shows all documents in this folder and its subfolders, also those that are internal themselves."
        checked=${published} onChange=${setPublished} />
    <//>
  `;
};

const DeleteFolder = ({ folder, onClose, onDeleted }) => {
  const parent = pathOf(folder.parentId).at(-1);
  const run = async () => {
    await remove(`/knowledge/folders/${folder.id}`);
    await loadFolders();
    onDeleted(folder);
    say("Folder deleted.");
  };
  const loses = folder.published && !pathOf(folder.parentId).some((each) => each.published);
  return html`
    <${Confirm} title=${`Delete the folder “${folder.name}”?`} action="Delete folder" run=${run} onClose=${onClose}>
      <p>No document is deleted. ${folder.documents > 0 ? `Its ${folder.documents.toLocaleString()} documents` : "Its documents"} and subfolders move to ${parent ? `“${parent.name}”` : "the top level"}.</p>
      ${loses && html`<p>The folder is on the help site. Its documents leave the site, unless they're published themselves.</p>`}
    <//>
  `;
};

const shift = async (folder, by) => {
  const ids = siblings(folder);
  const at = ids.indexOf(folder.id);
  ids.splice(at, 1);
  ids.splice(at + by, 0, folder.id);
  await attempt(() => post("/knowledge/folders/order", { parentId: folder.parentId, ids }));
  await attempt(loadFolders);
};

const Item = ({ folder, isCurrent, address, ask }) => {
  const around = siblings(folder);
  const at = around.indexOf(folder.id);
  const depth = depthOf(folder.id);
  const items = [
    { text: "Change …", icon: "edit", run: () => ask({ kind: "change", folder }) },
    depth < MOST_DEPTH && { text: "New subfolder …", icon: "plus", run: () => ask({ kind: "new", parentId: folder.id }) },
    at > 0 && { text: "Move up", run: () => shift(folder, -1) },
    at < around.length - 1 && { text: "Move down", run: () => shift(folder, 1) },
    "-",
    { text: "Delete …", icon: "trash", danger: true, run: () => ask({ kind: "delete", folder }) },
  ];
  return html`
    <li class="folder" style=${{ "--depth": depth - 1 }}>
      <a href=${address(folder.id)} aria-current=${isCurrent ? "true" : undefined}>
        <span>${folder.name}</span>${!pathOf(folder.id).some((each) => each.published) && html`<small>internal</small>`}<small>
          ${folder.documents.toLocaleString()}</small>
      </a>
      <${Menu} label=${`What to do with ${folder.name}`} items=${items} />
    </li>
  `;
};

// `address(id)` is the address that lists a folder's documents; "" is all of them.
export const Folders = ({ current, address, onDeleted }) => {
  const all = useCell(folders) ?? [];
  const [asked, ask] = useState(null);
  const [isShown, show] = useState(false);
  const close = () => ask(null);
  const name = current === "none" ? "No folder" : (pathOf(current).at(-1)?.name ?? "All documents");
  return html`
    <nav class=${`folders ${isShown ? "shown" : ""}`} aria-label="Folders">
      <button type="button" class="button folders-button" aria-expanded=${String(isShown)} onClick=${() => show(!isShown)}><span>${name}</span>
        <${Icon} name="down" /></button>
      <ul onClick=${(event) => event.target.closest("a") && show(false)}>
        <li class="folder"><a href=${address("")} aria-current=${current ? undefined : "true"}><span>All documents</span></a></li>
        ${all.map((each) => html`<${Item} key=${each.id} folder=${each} isCurrent=${each.id === current} address=${address} ask=${ask} />`)}
        ${all.length > 0 && html`<li class="folder"><a href=${address("none")} aria-current=${current === "none" ? "true" : undefined}>
          <span>No folder</span></a></li>`}
        <li><${Button} icon="plus" kind="quiet" onClick=${() => ask({ kind: "new" })}>New folder<//></li>
      </ul>
      ${(asked?.kind === "new" || asked?.kind === "change") && html`<${FolderForm} folder=${asked.folder} parentId=${asked.parentId}
        onClose=${close} />`}
      ${asked?.kind === "delete" && html`<${DeleteFolder} folder=${asked.folder} onClose=${close} onDeleted=${onDeleted} />`}
    </nav>
  `;
};
