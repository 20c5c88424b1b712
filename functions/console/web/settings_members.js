// Members and invitations: who is in the organization, with which rights, and who was asked to join.
import { html, useState } from "./vendor/htm-preact.js";
import { patch, post, remove } from "./api.js";
import { More, Shown, useLoaded, usePages } from "./loading.js";
import { base } from "./router.js";
import { can, loadMembers, me } from "./session.js";
import { Copyable, FormDialog, Group, Head, Pick, useForm } from "./settings_parts.js";
import { Avatar, Badge, Button, Choice, Confirm, Dialog, Field, Menu, attempt, date, say } from "./ui.js";

const ROLES = [["member", "Member"], ["admin", "Admin"], ["owner", "Owner"]];
const ROLE_NAMES = Object.fromEntries(ROLES);
const RIGHTS = "Members do the team's daily work. Admins also manage members, keys and settings. Owners also name other owners.";

const given = () => ROLES.filter(([role]) => can(role));

const Member = ({ member, reload }) => {
  const [isLeaving, setLeaving] = useState(false);
  const isMe = member.userId === me.value.user.id;
  const mayChange = can("admin") && !isMe && can(member.role);
  const change = async (role) => {
    await attempt(() => patch(`/members/${member.userId}`, { role }), `${member.name} is now ${role === "member" ? "a member" : `an ${role}`}`);
    reload();
  };
  return html`
    <li>
      <${Avatar} name=${member.name} size=${32} />
      <span class="grow"><b>${member.name}</b>${isMe && html` <${Badge}>You<//>`}<small>${member.email}</small></span>
      <small>Since ${date(member.joinedAt)}</small>
      ${mayChange ? html`
        <span class="buttons">
          <${Choice} label=${`Role of ${member.name}`} hidden value=${member.role} options=${given()} onChange=${change} />
          <${Button} icon="trash" kind="quiet" label=${`Remove ${member.name}`} onClick=${() => setLeaving(true)} />
        </span>
      ` : html`<${Badge} tone=${member.role === "member" ? "plain" : "info"}>${ROLE_NAMES[member.role]}<//>`}
      ${isLeaving && html`
        <${Confirm} title=${`Remove ${member.name}?`} action="Remove" onClose=${() => setLeaving(false)}
          run=${async () => {
            await remove(`/members/${member.userId}`);
            say(`${member.name} was removed`);
            reload();
          }}>
          <p>${member.name} loses access at once. Conversations and notes stay. You can invite them again.</p>
        <//>
      `}
    </li>
  `;
};

const Invite = ({ onClose, onSent }) => {
  const form = useForm({ email: "", role: "member" }, async (changes) => {
    const email = (changes.email ?? "").trim();
    const { path } = await post("/invites", { role: "member", ...changes, email });
    onSent({ email, link: base + path });
  });
  return html`
    <${FormDialog} title="Invite a teammate" form=${form} action="Send the invitation" onClose=${onClose}>
      <${Field} label="E-mail address"><input ...${form.text("email")} type="email" required maxlength="320" autocomplete="off" /><//>
      <${Pick} label="Role" options=${given()} ...${form.pick("role")} hint=${RIGHTS} />
    <//>
  `;
};

const Invitation = ({ invite, reload }) => {
  const again = () => attempt(() => post(`/invites/${invite.id}/resend`), `Mailed to ${invite.email} again`);
  const withdraw = async () => {
    await attempt(() => remove(`/invites/${invite.id}`), `The invitation of ${invite.email} was withdrawn`);
    reload();
  };
  const isOver = invite.validUntil < Date.now();
  return html`
    <li>
      <span class="grow"><b>${invite.email}</b><small>Invited by ${invite.invitedByName} on ${date(invite.createdAt)}</small></span>
      ${!invite.senderMayInvite && html`<${Badge} tone="warn">Doesn't work: resend it<//>`}
      <small>${isOver ? "Expired" : `Valid until ${date(invite.validUntil)}`}</small>
      <${Badge}>${ROLE_NAMES[invite.role]}<//>
      ${can("admin") && html`<${Menu} label=${`Invitation of ${invite.email}`} items=${[
        { text: "Mail it again", icon: "mail", run: again },
        { text: "Withdraw it", icon: "trash", danger: true, run: withdraw },
      ]} />`}
    </li>
  `;
};

export default function Members() {
  const loaded = useLoaded(loadMembers);
  const invites = usePages("/invites", "invites");
  const [isInviting, setInviting] = useState(false);
  const [sent, setSent] = useState(null);
  return html`
    <${Head} title="Members" lead=${RIGHTS}>
      ${can("admin") && html`<${Button} kind="main" icon="plus" onClick=${() => setInviting(true)}>Invite a teammate<//>`}
    <//>
    <div class="stack large">
      <${Shown} loaded=${loaded}>${(members) => html`
        <ul class="rows" aria-label="Members">${members.map((member) => html`<${Member} key=${member.userId} member=${member} reload=${loaded.reload} />`)}</ul>
      `}<//>
      ${(invites.items.length > 0 || invites.problem) && html`
        <${Group} title="Invitations">
          <ul class="rows" aria-label="Invitations">${invites.items.map((invite) => html`<${Invitation} key=${invite.id} invite=${invite} reload=${invites.reload} />`)}</ul>
          <${More} pages=${invites} />
        <//>
      `}
    </div>
    ${isInviting && html`<${Invite} onClose=${() => setInviting(false)} onSent=${(what) => (setSent(what), invites.reload())} />`}
    ${sent && html`
      <${Dialog} title="The invitation is on its way" onClose=${() => setSent(null)} actions=${html`<${Button} kind="main" onClick=${() => setSent(null)}>Done<//>`}>
        <p>We mailed it to ${sent.email}. You can also share its link yourself; it's shown only now.</p>
        <${Copyable} label="Link of the invitation" value=${sent.link} />
      <//>
    `}
  `;
}
