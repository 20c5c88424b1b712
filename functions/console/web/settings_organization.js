// The organization: its name and addresses, what it keeps, its plan and what of it is used.
import { html, useState } from "./vendor/htm-preact.js";
import { get, patch, post } from "./api.js";
import { Shown, useLoaded } from "./loading.js";
import { begin, can } from "./session.js";
import { Copyable, Form, Group, Head, Pick, numeric, useForm } from "./settings_parts.js";
import { Badge, Button, Field, Switch, attempt, say } from "./ui.js";

const PLANS = { explore: "Explore", standard: "Standard", pro: "Pro" };
const UNREAD = [["0", "Never"], ...[2, 5, 10, 15, 30, 60].map((minutes) => [String(minutes), `After ${minutes} minutes`])];
const number = new Intl.NumberFormat();
const compact = new Intl.NumberFormat(undefined, { notation: "compact", maximumFractionDigits: 1 });
const size = (bytes) => {
  const [unit, shown] = bytes >= 1e9 ? ["gigabyte", bytes / 1e9] : ["megabyte", bytes / 1e6];
  return new Intl.NumberFormat(undefined, { style: "unit", unit, maximumFractionDigits: 1 }).format(shown);
};

const unreadOptions = (minutes) => (UNREAD.some(([value]) => value === minutes) ? UNREAD : [...UNREAD, [minutes, `After ${minutes} minutes`]]);

const General = ({ saved, set }) => {
  const save = async ({ unreadMailMinutes, retentionDays, ...changes }) => {
    const body = { ...changes };
    if (unreadMailMinutes !== undefined) body.unreadMailMinutes = Number(unreadMailMinutes);
    if (retentionDays !== undefined) body.retentionDays = numeric(retentionDays);
    set(await patch("/organization", body));
    if (body.name || body.slug) await begin();
  };
  const form = useForm(saved, save, ["taskKeyPrefix", "boardUrl", "retentionDays"]);
  const minutes = form.pick("unreadMailMinutes");
  return html`
    <${Form} form=${form} label="The organization's settings">
      <${Group} title="Name and address">
        <${Field} label="Name" hint="Customers see it." error=${form.error("name")}><input ...${form.text("name")} maxlength="80" autocomplete="off" /><//>
        <${Field} label="Short name in addresses" error=${form.error("slug")}
          hint="Small letters, digits and hyphens. It's in the address of your help site and of your mail; the old one leads to the new one for a year.">
          <input ...${form.text("slug")} maxlength="32" autocomplete="off" spellcheck=${false} />
        <//>
      <//>
      <${Group} title="Conversations">
        <${Pick} label="Mail an unread answer to the customer" value=${String(minutes.value)} options=${unreadOptions(String(minutes.value))}
          onChange=${minutes.onChange} error=${form.error("unreadMailMinutes")} hint="For customers who wrote in the chat and left before they read it. On paid plans." />
        <${Field} label="Erase conversations after" error=${form.error("retentionDays")}
          hint="Days without a message, 30 to 3,650. Empty: keep them. What is erased can't be restored.">
          <input ...${form.text("retentionDays")} inputmode="numeric" placeholder="Keep them" />
        <//>
      <//>
      <${Group} title="Tasks">
        <${Field} label="Prefix of task keys" hint="Such as OPS for OPS-12. Up to 8 letters or digits." error=${form.error("taskKeyPrefix")}>
          <input ...${form.text("taskKeyPrefix")} maxlength="8" placeholder="None" autocomplete="off" />
        <//>
        <${Field} label="Address of your own task board" hint="Links to tasks lead there, instead of to this console." error=${form.error("boardUrl")}>
          <input ...${form.text("boardUrl")} type="url" maxlength="512" placeholder="https://" />
        <//>
      <//>
    <//>
  `;
};

const SupportEmail = ({ saved, set }) => {
  const [isOther, setOther] = useState(false);
  const form = useForm({ supportEmail: "" }, async (changes) => {
    set(await patch("/organization", { supportEmail: changes.supportEmail }));
    setOther(false);
  });
  const code = useForm({ supportEmailCode: "" }, async (changes) => {
    set(await patch("/organization", { supportEmailCode: changes.supportEmailCode.trim() }));
    say("The address is confirmed");
  });
  const again = () => attempt(async () => set(await patch("/organization", { supportEmail: saved.pendingSupportEmail })), "The code was mailed again");
  const drop = () => attempt(async () => set(await patch("/organization", { supportEmail: null })), "The address was removed");
  const isPending = saved.pendingSupportEmail && !isOther;
  return html`
    <${Group} title="Support address" hint="The e-mail address that customers know. A code that is mailed to it confirms that it's yours.">
      ${saved.supportEmail && html`
        <div class="buttons"><b>${saved.supportEmail}</b><${Badge} tone="good">Confirmed<//>
          ${can("admin") && html`<${Button} kind="quiet" onClick=${drop}>Remove<//>`}</div>
      `}
      ${!can("admin") ? !saved.supportEmail && html`<p>None yet.</p>` : isPending ? html`
        <form class="inline-form narrow" onSubmit=${code.submit}>
          <${Field} label=${`Code that was mailed to ${saved.pendingSupportEmail}`} error=${code.problem?.message}>
            <input ...${code.text("supportEmailCode")} required autocomplete="one-time-code" />
          <//>
          <${Button} kind="main" type="submit" busy=${code.busy}>Confirm<//>
        </form>
        <div class="buttons"><${Button} kind="quiet" onClick=${again}>Mail the code again<//><${Button} kind="quiet" onClick=${() => setOther(true)}>Use another address<//></div>
      ` : html`
        <form class="inline-form narrow" onSubmit=${form.submit}>
          <${Field} label=${saved.supportEmail ? "Change it to" : "E-mail address"} error=${form.problem?.message}>
            <input ...${form.text("supportEmail")} type="email" required maxlength="320" placeholder="support@example.com" autocomplete="off" />
          <//>
          <${Button} type="submit" busy=${form.busy}>Mail a code<//>
          ${isOther && html`<${Button} kind="quiet" onClick=${() => setOther(false)}>Cancel<//>`}
        </form>
      `}
    <//>
  `;
};

const Meter = ({ label, used, limit, show = number.format }) => {
  const part = limit ? Math.min(100, (used / limit) * 100) : 0;
  return html`
    <div class="meter">
      <div><span>${label}</span><small>${show(used)} of ${show(limit)}</small></div>
      <div class=${`bar ${part >= 100 ? "full" : ""}`} role="meter" aria-label=${label} aria-valuemin="0" aria-valuemax=${limit} aria-valuenow=${Math.min(used, limit)}
        aria-valuetext=${`${show(used)} of ${show(limit)}`}><span style=${{ "--part": `${part}%` }}></span></div>
    </div>
  `;
};

const RATES = [["read", "Reads"], ["write", "Writes"], ["upload", "Uploads"]];

const Plan = ({ saved, set }) => {
  const loaded = useLoaded(() => get("/billing/limits"));
  const brand = (showBranding) =>
    attempt(async () => {
      await post("/billing/branding", { showBranding });
      set({ ...saved, showBranding });
    }, "Saved");
  return html`
    <${Group} title=${`Plan: ${PLANS[saved.plan] ?? saved.plan}`}>
      <${Shown} loaded=${loaded} lines=${3}>${({ knowledge, model, limits }) => html`
        <div class="columns">
          <${Meter} label="Documents" ...${knowledge.documents} />
          <${Meter} label="Size of the knowledge" ...${knowledge.bytes} show=${size} />
          <${Meter} label="Suggestions today" ...${knowledge.suggestionsToday} />
          <${Meter} label="Model tokens this month" ...${model.tokens} show=${compact.format} />
          <${Meter} label="Model tokens today" ...${model.tokensToday} show=${compact.format} />
        </div>
        <details><summary>Requests to the API</summary>
          ${limits ? html`
            <div class="scroll"><table class="narrow">
              <thead><tr><th scope="col">Kind</th><th scope="col" class="number">A minute</th><th scope="col" class="number">At once</th></tr></thead>
              <tbody>${RATES.map(([kind, text]) => html`<tr key=${kind}><td>${text}</td><td class="number">${number.format(limits[kind].perMinute)}</td>
                <td class="number">${number.format(limits[kind].burst)}</td></tr>`)}</tbody>
            </table></div>
          ` : html`<p class="hint">Without a limit, within fair use.</p>`}
        </details>
      `}<//>
      <${Switch} label="Show “Powered by Helpdesk” on the widget and the help site" hint="Hiding it needs the Pro plan." checked=${saved.showBranding}
        disabled=${!can("admin")} onChange=${brand} />
    <//>
  `;
};

export default function Organization() {
  const loaded = useLoaded(() => get("/organization"));
  return html`
    <${Head} title="Organization" />
    <${Shown} loaded=${loaded}>${(saved) => html`
      <div class="stack large">
        <${General} saved=${saved} set=${loaded.set} />
        <${SupportEmail} saved=${saved} set=${loaded.set} />
        <${Group} title="Addresses and keys to copy">
          ${saved.mailAddress && html`<${Copyable} label="Mail to your team" value=${saved.mailAddress}
            hint="Customers can write there. Let your own support address forward to it." />`}
          <${Copyable} label="Publishable key" value=${saved.publishableKey} hint="Names your organization in public places. It gives no access." />
        <//>
        <${Plan} saved=${saved} set=${loaded.set} />
      </div>
    `}<//>
  `;
}
