// The frame around every screen: navigation, the organization, shortcuts and the lines at the bottom.
import { html, useEffect, useErrorBoundary, useState } from "./vendor/htm-preact.js";
import * as api from "./api.js";
import { Icon } from "./icons.js";
import { useKeys } from "./keys.js";
import * as live from "./live.js";
import { base, href, open, pieces, place } from "./router.js";
import * as session from "./session.js";
import { cell, remember, remembered, useCell } from "./store.js";
import { attempt, Avatar, Button, Lines, Loading, Menu, Problem, say } from "./ui.js";

// [first piece of the path, name, key after `g`, module, least role]
const SCREENS = [
  ["conversations", "Inbox", "i", () => import("./inbox.js")],
  ["approvals", "Approvals", "a", () => import("./approvals.js")],
  ["customers", "Customers", "c", () => import("./customers.js")],
  ["knowledge", "Knowledge", "k", () => import("./knowledge.js")],
  ["signals", "Signals", "s", () => import("./signals.js")],
  ["board", "Board", "b", () => import("./board.js")],
  ["tasks", "Tasks", "t", () => import("./tasks.js")],
  ["analytics", "Analytics", "n", () => import("./analytics.js")],
  ["logs", "Logs", "l", () => import("./logs.js")],
  ["settings", "Settings", ",", () => import("./settings.js")],
];
const ICONS = { conversations: "inbox" };

// How many things wait for the team, by screen: {conversations: 3, approvals: 1}.
export const waiting = cell({});

// What lies over the screen: "Find anything" or the list of shortcuts, each loaded when it is opened.
const over = cell(null);
const showPalette = async () => (over.value = (await import("./palette.js")).Palette);
const listKeys = async () => (over.value = (await import("./key_list.js")).KeyList);

const scheme = cell(remembered("scheme", "auto"));
const applyScheme = () => {
  if (scheme.value === "auto") document.documentElement.removeAttribute("data-scheme");
  else document.documentElement.dataset.scheme = scheme.value;
};
applyScheme();

const setScheme = (chosen) => {
  scheme.value = chosen;
  remember("scheme", chosen);
  applyScheme();
};

const address = (screen) => (screen === "conversations" ? href("/") : href(`/${screen}`));

const signOut = async () => {
  if (!(await attempt(async () => (await import("./sign_out.js")).signOut()))) return;
  location.assign(href("/"));
};

const switchTo = async (organization) => {
  if (!(await api.switchTo(organization))) return say("You can't switch to this organization. Reload the page and try again.", { tone: "bad" });
  location.assign(href("/"));
};

const Person = () => {
  const { user, organization, organizations } = useCell(session.me);
  const chosen = useCell(scheme);
  const others = organizations.filter((each) => each.id !== organization.id);
  const items = [
    { text: "Keyboard shortcuts", hotkey: "?", run: listKeys },
    { text: "API reference", icon: "open", run: () => window.open(`${base}/v1/docs`, "_blank", "noopener") },
    "-",
    ...[["auto", "Colors of this device"], ["light", "Light"], ["dark", "Dark"]].map(([value, text]) => ({
      text, icon: chosen === value ? "check" : undefined, run: () => setScheme(value),
    })),
    others.length && "-",
    ...others.map((each) => ({ text: `Switch to ${each.name}`, run: () => switchTo(each.id) })),
    "-",
    { text: "Sign out", run: signOut },
  ];
  return html`
    <div class="person">
      <${Avatar} name=${user.name} /><span class="person-name"><b>${user.name}</b><small>${organization.name}</small></span>
      <${Menu} label="Your menu" items=${items} align="start up" />
    </div>
  `;
};

const Navigation = ({ current }) => {
  const counts = useCell(waiting);
  return html`
    <nav class="main-nav" aria-label="Screens">
      <a class="brand" href=${href("/")}><${Icon} name="inbox" size=${18} /><b>${session.me.value.organization.name}</b></a>
      <button type="button" class="find" onClick=${showPalette}><${Icon} name="search" /><span>Find …</span><kbd>Ctrl K</kbd></button>
      <ul>
        ${SCREENS.map(([screen, name]) => html`
          <li key=${screen}>
            <a href=${address(screen)} aria-current=${screen === current ? "page" : undefined}>
              <${Icon} name=${ICONS[screen] ?? screen} /><span>${name}</span>
              ${counts[screen] ? html`<span class="count"><span class="visually-hidden">, waiting: </span>${counts[screen]}</span>` : null}
            </a>
          </li>
        `)}
      </ul>
      <${Person} />
    </nav>
  `;
};

const Screen = ({ current, rest }) => {
  const [shown, setShown] = useState(null);
  const [problem, setProblem] = useState(null);
  const [broken, mend] = useErrorBoundary((error) => console.error(error));
  useEffect(() => {
    let isCurrent = true;
    const found = SCREENS.find(([name]) => name === current);
    setProblem(null);
    if (!found) return setShown({ current, view: NotFound });
    found[3]().then(
      (module) => isCurrent && setShown({ current, view: module.default }),
      () => isCurrent && setProblem(new Error("This screen didn't load. Check your network and try again.")),
    );
    return () => (isCurrent = false);
  }, [current]);
  if (broken) {
    return html`<main class="outside"><${Problem} problem=${new Error("This screen has a problem. Nothing is lost on the server.")} retry=${mend} /></main>`;
  }
  if (problem) return html`<main class="outside"><${Problem} problem=${problem} retry=${() => location.reload()} /></main>`;
  if (shown?.current !== current) return html`<main class="outside"><${Loading} /></main>`;
  return html`<${shown.view} path=${rest} />`;
};

const NotFound = () => html`
  <main class="outside">
    <h1>There's no such page</h1>
    <p>The address may have a typing error. <a href=${href("/")}>Go to the inbox</a>.</p>
  </main>
`;

const Connection = () => {
  const isOffline = useCell(api.isOffline);
  if (!isOffline) return null;
  return html`<div class="offline" role="status"><${Icon} name="warning" /> You're offline. What you type is kept here until you're back.</div>`;
};

export const Shell = () => {
  const { path } = useCell(place);
  const [isOpen, setOpen] = useState(false);
  const Over = useCell(over);
  const waits = useCell(waiting).conversations;
  const [current = "conversations", ...rest] = pieces(path);
  const name = SCREENS.find(([screen]) => screen === current)?.[1];
  useEffect(() => live.start(), []);
  useEffect(() => {
    setOpen(false);
  }, [path]);
  useEffect(() => {
    document.title = `${waits ? `(${waits}) ` : ""}${name ?? "Not found"} · ${session.me.value.organization.name}`;
  }, [path, waits]);
  useKeys([
    ...SCREENS.map(([screen, text, key]) => ({ key: `g ${key}`, text: `Go to ${text}`, run: () => open(screen === "conversations" ? "/" : `/${screen}`) })),
    { key: "mod+k", text: "Find anything", run: showPalette, typing: true },
    { key: "?", run: listKeys },
  ]);
  return html`
    <a class="skip" href="#screen">Skip to the content</a>
    <div class=${`frame ${isOpen ? "nav-open" : ""}`} data-screen=${current}>
      <header class="top">
        <${Button} icon="menu" kind="quiet" label=${isOpen ? "Close the menu" : "Open the menu"} aria-expanded=${String(isOpen)} onClick=${() => setOpen(!isOpen)} />
        <b>${name}</b>
        <${Button} icon="search" kind="quiet" label="Find anything" onClick=${showPalette} />
      </header>
      <${Navigation} current=${current} />
      <div class="screen" id="screen"><${Connection} /><${Screen} key=${current} current=${current} rest=${rest} /></div>
    </div>
    <${Lines} />${Over && html`<${Over} screens=${SCREENS} onClose=${() => (over.value = null)} />`}
  `;
};
