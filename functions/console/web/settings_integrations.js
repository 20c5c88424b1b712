// Integrations: the services that an admin connects, and what each of them does here.
import { html, useEffect, useState } from "./vendor/htm-preact.js";
import { get, patch, post, remove, search } from "./api.js";
import { Icon } from "./icons.js";
import { Shown, useLoaded } from "./loading.js";
import { base, href } from "./router.js";
import { can, me } from "./session.js";
import { Repositories } from "./settings_repositories.js";
import { Form, Group, Head, Pick, useForm } from "./settings_parts.js";
import { Badge, Button, Confirm, Field, Problem, Switch, date, say } from "./ui.js";


const Troubled = ({ message }) => message && html`<${Problem} problem=${{ message }} />`;

const Settings = ({ route, write = patch, nullable, children }) => {
  const loaded = useLoaded(() => get(route));
  const form = useForm(loaded.data ?? {}, async (changes) => {
    await write(route, changes);
    await loaded.reload();
  }, nullable);
  return html`<${Shown} loaded=${loaded} lines=${3}>${(saved) => html`<${Troubled} message=${saved.problem} />${children(form, saved)}`}<//>`;
};

const GitHub = () => html`
  <div class="stack large">
    <${Settings} route="/integrations/issue-repo" write=${post}>${(form) => html`
      <${Form} form=${form} label="Issues">
        <${Group} title="Issues">
          <${Field} label="Repository for issues" hint="owner/name, of a connected account." error=${form.error("repo")}>
            <input ...${form.text("repo")} maxlength="140" placeholder="fern-shop/website" autocomplete="off" />
          <//>
          <${Switch} label="Open an issue for each new signal" ...${form.flag("autoCreate")} />
        <//>
      <//>
    `}<//>
    <${Repositories} />
  </div>
`;

const MODES = [["alerts", "The channel only reads along"], ["two_way", "Replies in a thread reach the customer"]];

const Slack = () => html`
  <${Settings} route="/integrations/chatmirror">${(form) => html`
    <${Form} form=${form} label="Slack"><${Group} title="Settings">
      <${Field} label="Channel" error=${form.error("channel")}><input ...${form.text("channel")} maxlength="81" placeholder="support" autocomplete="off" /><//>
      <${Switch} label="Send conversations to the channel" ...${form.flag("enabled")} />
      <${Pick} label="Direction" options=${MODES} ...${form.pick("mode")} />
    <//><//>
  `}<//>
`;

const Discord = () => html`
  <${Settings} route="/integrations/chatcommunity" nullable=${["role"]}>${(form) => html`
    <${Form} form=${form} label="Discord"><${Group} title="Settings">
      <${Field} label="Channel for alerts" error=${form.error("channel")}><input ...${form.text("channel")} maxlength="101" placeholder="support" autocomplete="off" /><//>
      <${Field} label="Role to mention" hint="Empty: nobody." error=${form.error("role")}><input ...${form.text("role")} maxlength="101" autocomplete="off" /><//>
      <${Switch} label="Send alerts to the channel" ...${form.flag("enabled")} />
    <//><//>
  `}<//>
`;

const STATUSES = [["open", "Open"], ["planned", "Planned"], ["inProgress", "In progress"], ["inReview", "In review"], ["done", "Done"], ["declined", "Declined"]];

const Linear = () => html`
  <${Settings} route="/integrations/tracker">${(form, saved) => {
    const { team, teams, states } = form.values;
    const offered = teams.find((each) => each.key === team)?.states ?? [];
    const teamOptions = [...(team ? [] : [["", "Choose a team"]]), ...teams.map((each) => [each.key, `${each.name} (${each.key})`])];
    const stateOptions = [["", "None"], ...offered.map(({ name }) => [name, name])];
    return html`
      <${Form} form=${form} label="Linear">
        <${Group} title="Issues">
          <${Pick} label="Team" options=${teamOptions} ...${form.pick("team")} hint="Issues are opened in it." />
          <${Switch} label="Open an issue for each new signal" ...${form.flag("autoCreate")} />
        <//>
        ${team && team === saved.team && html`
          <${Group} title="States" hint="Which state of an issue is which status of a signal.">
            <div class="columns">${STATUSES.map(([status, text]) => html`
              <${Pick} key=${status} label=${text} options=${stateOptions} value=${states[status] ?? ""}
                onChange=${(name) => form.set("states", { ...states, [status]: name || null })} />
            `)}</div>
          <//>
        `}
      <//>
    `;
  }}<//>
`;

const APPS = {
  codehost: ["GitHub", "Mirrors repositories as documents, and opens issues for signals.", GitHub],
  chatmirror: ["Slack", "Shows conversations in a channel. Your team can answer there.", Slack],
  chatcommunity: ["Discord", "Alerts a channel of your server.", Discord],
  tracker: ["Linear", "Opens issues for signals and follows their states.", Linear],
};
const STATES = { connected: ["good", "Connected"], broken: ["bad", "Needs attention"], not_connected: ["plain", "Not connected"] };

const stateOf = (accounts) => (accounts.some((each) => each.status === "broken") ? "broken" : accounts[0].status);

const Connect = ({ app, again }) => html`
  <a class=${`button ${again ? "" : "main"}`} href=${`${base}/v1/connect/${app}?${search({ organization: me.value.organization.id })}`} target="_blank" rel="noopener">
    <${Icon} name="open" /><span>${!again ? `Connect ${APPS[app][0]}` : app === "codehost" ? "Connect an account" : "Connect again"}</span></a>
`;

const Account = ({ account, name, isOnly, reload }) => {
  const [isAsking, setAsking] = useState(false);
  const path = `/integrations/${account.app}`;
  return html`
    <li>
      <span class="grow"><b>${account.account ?? name}</b>
        <small>${account.connectedAt && `Connected by ${account.connectedByName ?? "an admin"} on ${date(account.connectedAt)}`}</small>
        ${account.problem && html`<p class="error">${account.problem}</p>`}</span>
      <${Badge} tone=${STATES[account.status][0]}>${STATES[account.status][1]}<//>
      ${can("admin") && html`<${Button} kind="quiet" onClick=${() => setAsking(true)}>Disconnect<//>`}
      ${isAsking && html`
        <${Confirm} title=${`Disconnect ${account.account ?? name}?`} action="Disconnect" onClose=${() => setAsking(false)}
          run=${async () => {
            await remove(account.account && !isOnly ? `${path}?${search({ account: account.account })}` : path);
            say(`${account.account ?? name} is disconnected`);
            reload();
          }}><p>We delete our access to it. What it brought here stays.</p><//>
      `}
    </li>
  `;
};

const One = ({ app, accounts, reload }) => {
  const [name, does, View] = APPS[app];
  const connected = accounts.filter((each) => each.status !== "not_connected");
  return html`
    <${Head} title=${name} lead=${does}>${can("admin") && html`<${Connect} app=${app} again=${connected.length > 0} />`}<//>
    ${connected.length ? html`
      <div class="stack large">
        <ul class="rows" aria-label="Accounts">${connected.map((each) => html`
          <${Account} key=${each.account} account=${each} name=${name} isOnly=${connected.length === 1} reload=${reload} />`)}</ul>
        <${View} />
      </div>
    ` : html`<p class="hint">${can("admin") ? "A page opens in a new tab, and leads you to the service. Come back here afterwards." : "Ask an admin to connect it."}</p>`}
  `;
};

const Row = ({ app, accounts }) => {
  const [name, does] = APPS[app];
  const [tone, text] = STATES[stateOf(accounts)];
  const names = accounts.map((each) => each.account).filter(Boolean).join(", ");
  return html`
    <li><a class="row" href=${href(`/settings/integrations/${app}`)}>
      <span class="grow"><b>${name}</b><small>${names || does}</small></span><${Badge} tone=${tone}>${text}<//>
    </a></li>
  `;
};

export default function Integrations({ path: [app] }) {
  const loaded = useLoaded(() => get("/integrations"));
  useEffect(() => {
    const back = () => document.hidden || loaded.reload();
    document.addEventListener("visibilitychange", back);
    return () => document.removeEventListener("visibilitychange", back);
  }, []);
  const isOne = app in APPS;
  return html`
    ${isOne ? html`<p class="crumb"><a href=${href("/settings/integrations")}>Integrations</a></p>`
      : html`<${Head} title="Integrations" lead="Services that work with your organization." />`}
    <${Shown} loaded=${loaded}>${({ integrations }) => {
      const of = (each) => integrations.filter((account) => account.app === each);
      if (isOne) return html`<${One} key=${app} app=${app} accounts=${of(app)} reload=${loaded.reload} />`;
      return html`<ul class="rows" aria-label="Services">${Object.keys(APPS).map((each) => html`<${Row} key=${each} app=${each} accounts=${of(each)} />`)}</ul>`;
    }}<//>
  `;
}
