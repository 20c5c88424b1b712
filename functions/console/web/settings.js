// Settings: a list of sections, and the one that is open. Each section is a module of its own, loaded when it is opened.
import { html } from "./vendor/htm-preact.js";
import { Shown, sheet, useLoaded } from "./loading.js";
import { href, mayLeave, open } from "./router.js";
import { can } from "./session.js";
import { Empty } from "./ui.js";

await sheet("settings.css");

// [group, [[section, name, module, least role]]]
const GROUPS = [
  ["You", [
    ["me", "Profile and notifications", () => import("./settings_me.js")],
    ["grants", "Connected programs", () => import("./settings_grants.js")],
  ]],
  ["Organization", [
    ["organization", "General", () => import("./settings_organization.js")],
    ["members", "Members", () => import("./settings_members.js")],
    ["teams", "Teams", () => import("./settings_teams.js")],
    ["hours", "Hours and targets", () => import("./settings_hours.js")],
  ]],
  ["Support", [
    ["agent", "Agent", () => import("./settings_agent.js")],
    ["sentences", "Sentences", () => import("./settings_sentences.js")],
    ["replies", "Saved replies", () => import("./settings_replies.js")],
    ["site", "Help site", () => import("./settings_site.js")],
  ]],
  ["Connections", [
    ["integrations", "Integrations", () => import("./settings_integrations.js")],
    ["tools", "Tools", () => import("./settings_tools.js")],
    ["webhooks", "Webhooks", () => import("./settings_webhooks.js"), "admin"],
    ["keys", "API keys", () => import("./settings_keys.js"), "admin"],
  ]],
];
const ALL = GROUPS.flatMap(([, sections]) => sections);

const offered = () =>
  GROUPS.map(([group, sections]) => [group, sections.filter(([, , , least]) => !least || can(least))]).filter(([, sections]) => sections.length);

const Side = ({ current }) => html`
  <nav class="settings-nav" aria-label="Settings">
    ${offered().map(([group, sections]) => html`
      <section key=${group}>
        <h2 id=${`settings-${group}`}>${group}</h2>
        <ul aria-labelledby=${`settings-${group}`}>
          ${sections.map(([name, text]) => html`
            <li key=${name}><a href=${href(`/settings/${name}`)} aria-current=${name === current ? "page" : undefined}>${text}</a></li>
          `)}
        </ul>
      </section>
    `)}
  </nav>
`;

// The same list on a phone.
const Selected = ({ current }) => {
  const go = (event) => {
    if (mayLeave()) open(`/settings/${event.currentTarget.value}`);
    else event.currentTarget.value = current;
  };
  return html`
    <label class="settings-select"><span class="visually-hidden">Section of the settings</span>
      <select value=${current} onChange=${go}>
        ${!offered().flat(2).flat().includes(current) && html`<option value=${current} selected hidden>Choose a section</option>`}
        ${offered().map(([group, sections]) => html`
          <optgroup key=${group} label=${group}>
            ${sections.map(([name, text]) => html`<option key=${name} value=${name} selected=${name === current}>${text}</option>`)}
          </optgroup>
        `)}
      </select>
    </label>
  `;
};

const Section = ({ load, path }) => {
  const loaded = useLoaded(load);
  return html`<${Shown} loaded=${loaded}>${(module) => html`<${module.default} path=${path} />`}<//>`;
};

export default function Settings({ path: [asked = "organization", ...rest] }) {
  const [current, text, load, least] = ALL.find(([name]) => name === asked) ?? [asked];
  return html`
    <main class="page"><div class="within settings">
      <${Side} current=${current} />
      <div class="settings-section">
        <${Selected} current=${current} />
        ${!load ? html`<h1>There's no such page</h1><p>Choose a section of the settings from the list.</p>`
          : least && !can(least) ? html`
            <div class="page-head"><h1>${text}</h1></div>
            <${Empty} icon="settings" title="For admins and owners"><p>Ask an admin or owner of your organization to make changes here.</p><//>
          ` : html`<${Section} key=${current} load=${load} path=${rest} />`}
      </div>
    </div></main>
  `;
}
