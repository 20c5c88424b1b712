// Teams: groups of members that conversations are assigned to.
import { html, useState } from "./vendor/htm-preact.js";
import { get, patch, post, remove } from "./api.js";
import { useLoaded } from "./loading.js";
import { can, loadTeams, memberName, members } from "./session.js";
import { useCell } from "./store.js";
import { FormDialog, Head, Ready, useForm } from "./settings_parts.js";
import { Avatar, Button, Confirm, Empty, Field, say } from "./ui.js";

const Edit = ({ team, onClose, reload }) => {
  const everyone = useCell(members);
  const form = useForm({ name: team?.name ?? "", memberIds: team?.memberIds ?? [] }, async (changes) => {
    if (team) await patch(`/teams/${team.id}`, changes);
    else await post("/teams", { name: "", memberIds: [], ...changes });
    say(team ? "Changes saved" : `The team “${changes.name}” is there`);
    reload();
  });
  const chosen = form.values.memberIds;
  const toggle = (id, isOn) => form.set("memberIds", isOn ? [...chosen, id] : chosen.filter((each) => each !== id));
  return html`
    <${FormDialog} title=${team ? `Change ${team.name}` : "New team"} form=${form} action=${team ? "Save changes" : "Create the team"} onClose=${onClose}>
      <${Field} label="Name" error=${form.error("name")}><input ...${form.text("name")} required maxlength="80" autocomplete="off" placeholder="Billing" /><//>
      <fieldset><legend>Members</legend>
        <div class="checks">${everyone.map(({ userId, name }) => html`
          <label key=${userId}><input type="checkbox" checked=${chosen.includes(userId)} onChange=${(event) => toggle(userId, event.currentTarget.checked)} />
            <${Avatar} name=${name} size=${22} /><span class="clip">${name}</span></label>
        `)}</div>
      </fieldset>
    <//>
  `;
};

const Row = ({ team, reload }) => {
  const [asked, setAsked] = useState(null);
  const close = () => setAsked(null);
  return html`
    <li>
      <span class="grow"><b>${team.name}</b><small>${team.memberIds.map(memberName).join(", ") || "Nobody yet"}</small></span>
      ${can("admin") && html`
        <span class="buttons">
          <${Button} icon="edit" kind="quiet" label=${`Change ${team.name}`} onClick=${() => setAsked("edit")} />
          <${Button} icon="trash" kind="quiet" label=${`Delete ${team.name}`} onClick=${() => setAsked("delete")} />
        </span>
      `}
      ${asked === "edit" && html`<${Edit} team=${team} onClose=${close} reload=${reload} />`}
      ${asked === "delete" && html`
        <${Confirm} title=${`Delete “${team.name}”?`} action="Delete the team" onClose=${close}
          run=${async () => {
            await remove(`/teams/${team.id}`);
            say(`“${team.name}” was deleted`);
            reload();
          }}><p>Its members stay. Conversations that are assigned to it wait until someone assigns them to another team.</p><//>
      `}
    </li>
  `;
};

export default function Teams() {
  useCell(members);
  const loaded = useLoaded(() => get("/teams"));
  const [isNew, setNew] = useState(false);
  const reload = () => (loaded.reload(), loadTeams().catch(() => {}));
  const create = html`<${Button} kind="main" icon="plus" onClick=${() => setNew(true)}>New team<//>`;
  return html`
    <${Head} title="Teams" lead="Groups of people that conversations are assigned to.">${can("admin") && loaded.data?.teams.length > 0 && create}<//>
    <${Ready} loaded=${loaded}>${({ teams }) => teams.length
      ? html`<ul class="rows" aria-label="Teams">${teams.map((team) => html`<${Row} key=${team.id} team=${team} reload=${reload} />`)}</ul>`
      : html`<${Empty} icon="customers" title="No teams yet">
          <p>Make one for each kind of work, such as billing or onboarding, and assign conversations to it.</p>${can("admin") && create}<//>`
    }<//>
    ${isNew && html`<${Edit} onClose=${() => setNew(false)} reload=${reload} />`}
  `;
}
