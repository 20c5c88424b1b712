// The help site: what is on it, how it looks, and how visitors sign in to it.
import { html } from "./vendor/htm-preact.js";
import { get, patch } from "./api.js";
import { Icon } from "./icons.js";
import { Shown, useLoaded } from "./loading.js";
import { href } from "./router.js";
import { can } from "./session.js";
import { Copyable, Form, Group, Head, LANGUAGES, Pick, useForm } from "./settings_parts.js";
import { Badge, Button, Empty, Field, Problem, Switch, Tabs, dateTime } from "./ui.js";

const orNull = (changes, ...names) =>
  Object.fromEntries(Object.entries(changes).map(([name, value]) => [name, names.includes(name) && value === "" ? null : value]));

const FooterLinks = ({ form, error }) => {
  const links = form.values.footerLinks;
  const wrong = (at, name) => (form.problem?.message.includes(`footerLinks[${at}].${name}`) ? error : null);
  const change = (at, more) => form.set("footerLinks", links.map((each, index) => (index === at ? { ...each, ...more } : each)));
  return html`
    <div class="stack narrow" role="group" aria-label="Links in the footer">
      ${links.map((link, at) => html`
        <div key=${at} class="inline-form">
          <${Field} label="Text" error=${wrong(at, "label")}>
            <input value=${link.label} maxlength="40" onInput=${(event) => change(at, { label: event.currentTarget.value })} />
          <//>
          <${Field} label="Address" error=${wrong(at, "url")}>
            <input value=${link.url} type="url" maxlength="512" onInput=${(event) => change(at, { url: event.currentTarget.value })} />
          <//>
          <${Button} icon="trash" kind="quiet" label=${`Remove the link ${link.label}`} onClick=${() => form.set("footerLinks", links.filter((_, index) => index !== at))} />
        </div>
      `)}
      ${error && !/footerLinks\[\d+\]/.test(form.problem.message) && html`<p class="error">${error}</p>`}
      ${links.length < 10 && html`<div><${Button} icon="plus" onClick=${() => form.set("footerLinks", [...links, { label: "", url: "https://" }])}>Add a link<//></div>`}
    </div>
  `;
};

const Pages = ({ saved, set }) => {
  const form = useForm(saved, async (changes) => set(await patch("/site", orNull(changes, "language"))), ["title", "logoUrl"]);
  return html`
    <${Form} form=${form} label="The help site's pages">
      <${Switch} label="The help site is open" hint="Off: its pages can't be opened." ...${form.flag("enabled")} />
      <${Group} title="Home page">
        <${Field} label="Title" hint="Empty: your organization's name." error=${form.error("title")}><input ...${form.text("title")} maxlength="80" /><//>
        <${Field} label="Line below the title" error=${form.error("intro")}><textarea ...${form.text("intro")} rows="2" maxlength="500" /><//>
        <${Field} label="Address of your logo" hint="An https address of an image." error=${form.error("logoUrl")}>
          <input ...${form.text("logoUrl")} type="url" maxlength="512" placeholder="https://" />
        <//>
        <${Pick} label="Language" options=${[["", "The visitor's"], ...LANGUAGES]} ...${form.pick("language")} hint="Of the site's own words, such as “Search”." />
      <//>
      <${Group} title="Parts">
        <${Switch} label="Feedback board" hint="Visitors post ideas and vote." ...${form.flag("showBoard")} />
        <${Switch} label="Votes need a sign-in" ...${form.flag("votesNeedSignIn")} />
        <${Switch} label="Contact" hint="Visitors write to your team on the site." ...${form.flag("showContact")} />
      <//>
      <${Group} title="Links in the footer"><${FooterLinks} form=${form} error=${form.error("footerLinks")} /><//>
    <//>
  `;
};

const SCHEMES = [["system", "As the visitor's device"], ["light", "Light"], ["dark", "Dark"]];
const NAVIGATIONS = [["top", "A bar at the top"], ["sidebar", "A list at the side"], ["topics", "Cards on the home page"]];

const Look = ({ saved, set }) => {
  const form = useForm(saved, async (changes) => set(await patch("/site/appearance", changes)), ["accent"]);
  const accent = form.text("accent");
  return html`
    <${Form} form=${form} label="The help site's appearance">
      <${Group} title="Look">
        <${Pick} label="Colors" options=${SCHEMES} ...${form.pick("scheme")} />
        <${Pick} label="Topics" options=${NAVIGATIONS} ...${form.pick("navigation")} />
        <${Field} label="Color of buttons and links" hint="Such as #0a7c66. Empty: the theme's own." error=${form.error("accent")}>
          <input ...${accent} maxlength="7" placeholder="#0a7c66" spellcheck=${false} />
        <//>
        ${/^#([0-9a-f]{3}|[0-9a-f]{6})$/i.test(accent.value) && html`
          <p class="buttons"><span class="swatch" style=${{ "--color": accent.value }}></span><span class="hint">This color</span></p>`}
      <//>
      <${Group} title="Your own stylesheet" hint="For a look of your own. Up to 60,000 characters.">
        <${Field} label="CSS" error=${form.error("css")}><textarea ...${form.text("css")} class="code" rows="10" maxlength="60000" spellcheck=${false} /><//>
      <//>
    <//>
  `;
};

const Widget = ({ saved, set }) => {
  const origins = saved.widgetOrigins ?? [];
  const form = useForm({ widgetOrigins: origins.join("\n") }, async ({ widgetOrigins }) =>
    set(await patch("/site", { widgetOrigins: widgetOrigins.split(/\s+/).filter(Boolean) })));
  if (!saved.widgetOrigins) return html`<${Empty} icon="settings" title="Not available here"><p>This server's version doesn't have the chat widget yet.</p><//>`;
  return html`
    <div class="stack large">
      <${Form} form=${form} label="The chat widget">
        <${Group} title="Chat widget" hint="A button on your own pages that opens a conversation with your team. The help site can stay off.">
          <${Field} label="Your sites" error=${form.error("widgetOrigins")}
            hint="The origins of the pages that may show it, one a line, such as https://shop.example.com. Empty: none.">
            <textarea ...${form.text("widgetOrigins")} class="code" rows="4" spellcheck=${false} placeholder="https://shop.example.com" />
          <//>
        <//>
      <//>
      ${origins.length > 0 && html`
        <${Group} title="Put it on your pages"><${Copyable} label="HTML" value=${`<script src="${saved.url}widget.js" async></script>`} hint="Anywhere in the page." /><//>
      `}
    </div>
  `;
};

const METHODS = [["median", "With a code by mail"], ["app", "In your app"], ["oidc", "At a provider (OpenID Connect)"]];

const flat = (saved) => ({
  method: saved.method, appUrl: saved.appUrl ?? "", issuer: saved.oidc?.issuer ?? "", clientId: saved.oidc?.clientId ?? "", clientSecret: "",
});

const SignIn = ({ saved, set }) => {
  const form = useForm(flat(saved), async () => {
    const { method, appUrl, issuer, clientId, clientSecret } = form.values;
    const body = { method };
    if (method === "app") body.appUrl = appUrl;
    if (method === "oidc") body.oidc = { issuer, clientId, ...(clientSecret && { clientSecret }) };
    set(await patch("/site/sign-in", body));
    form.set("clientSecret", "");
  });
  const { method } = form.values;
  return html`
    ${saved.problem && html`<${Problem} problem=${{
      message: `The last sign-in failed, ${dateTime(saved.problem.at)}. ${saved.problem.message}${saved.problem.detail ? ` (${saved.problem.detail})` : ""}`,
      code: saved.problem.code,
    }} />`}
    <${Form} form=${form} label="How visitors sign in">
      <${Group} title="Sign-in" hint="Visitors who signed in another way are signed out when this changes.">
        <${Pick} label="Visitors sign in" options=${METHODS} ...${form.pick("method")} />
        ${method === "app" && html`
          <${Field} label="Sign-in route of your app" hint="An https address." error=${form.error("appUrl")}>
            <input ...${form.text("appUrl")} type="url" placeholder="https://" />
          <//>`}
        ${method === "oidc" && html`
          <${Copyable} label="Redirect URI" hint="Register it at the provider." value=${saved.oidcRedirectUri} />
          <${Field} label="Issuer" hint="Exactly as in its discovery document." error=${form.error("issuer")}>
            <input ...${form.text("issuer")} type="url" maxlength="512" placeholder="https://" />
          <//>
          <${Field} label="Client ID" error=${form.error("clientId")}><input ...${form.text("clientId")} maxlength="255" autocomplete="off" /><//>
          <${Field} label="Client secret" error=${form.error("clientSecret")}
            hint=${saved.oidc ? `Saved; it ends in ${saved.oidc.secretHint}. Empty: keep it.` : "It's never shown again."}>
            <input ...${form.text("clientSecret")} type="password" autocomplete="off" />
          <//>`}
      <//>
    <//>
  `;
};

const TABS = { "": [Pages, "/site"], appearance: [Look, "/site/appearance"], widget: [Widget, "/site"], "sign-in": [SignIn, "/site/sign-in"] };

const Tab = ({ View, route }) => {
  const loaded = useLoaded(() => get(route));
  return html`<${Shown} loaded=${loaded}>${(saved) => html`<${View} saved=${saved} set=${loaded.set} />`}<//>`;
};

export default function Site({ path: [tab = ""] }) {
  const site = useLoaded(() => get("/site"), [tab]);
  const [View, route] = TABS[tab] ?? TABS[""];
  const address = (name) => href(name ? `/settings/site/${name}` : "/settings/site");
  const tabs = [["", "Pages"], ["appearance", "Appearance"], ["widget", "Chat widget"], can("admin") && ["sign-in", "Sign-in"]].filter(Boolean);
  return html`
    <${Head} title="Help site">
      ${site.data && !site.data.enabled && html`<${Badge} tone="warn">Closed<//>`}
      ${site.data?.enabled && html`<a class="button" href=${site.data.url} target="_blank" rel="noopener"><${Icon} name="open" /><span>Open the site</span></a>`}
    <//>
    <${Tabs} label="Help site" tabs=${tabs.map(([name, text]) => [address(name), text])} current=${address(tab)} />
    <div class="under-tabs"><${Tab} key=${tab} View=${View} route=${route} /></div>
  `;
}
