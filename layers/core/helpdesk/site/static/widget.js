// The chat widget: a button, a preview of what is unread, and a panel with a page of the help site in a frame. All of it
// is in a shadow tree, so the page's styles don't reach it. Both sides check who a message comes from.
"use strict";
(() => {
  const { root, origins, contact, name, texts } = __CONFIG__;
  const before = window.Helpdesk;
  if (typeof before?.identify === "function") return;
  if (!origins.includes(location.origin)) {
    console.warn(`Helpdesk: add ${location.origin} to widgetOrigins to show the chat widget on this page.`);
    return;
  }
  const site = new URL(root).origin, key = `helpdesk ${root}`, listeners = [], waiting = [];
  let isOpen = false, isReady = false, unread = 0, frame = null;

  const make = (tag, attributes = {}, ...children) => {
    const node = document.createElement(tag);
    for (const each of Object.keys(attributes)) node.setAttribute(each, attributes[each]);
    node.append(...children);
    return node;
  };
  const icon = (path, kind) => {
    const [svg, line] = ["svg", "path"].map((tag) => document.createElementNS("http://www.w3.org/2000/svg", tag));
    svg.setAttribute("viewBox", "0 0 24 24");
    svg.setAttribute("class", kind);
    svg.setAttribute("aria-hidden", "true");
    line.setAttribute("d", path);
    svg.append(line);
    return svg;
  };
  const badge = make("span", { class: "badge", "aria-hidden": "true" });
  const button = make(
    "button",
    { class: "launch", type: "button", "aria-expanded": "false", "aria-controls": "panel" },
    icon("M12 4c-5 0-9 3.3-9 7.5 0 2.3 1.2 4.3 3.1 5.7L5.4 20.5l4-1.9c.8.2 1.7.3 2.6.3 5 0 9-3.3 9-7.4S17 4 12 4z", "chat"),
    icon("M6 9.5l6 6 6-6", "down"),
    badge,
  );
  const said = make("button", { class: "said", type: "button" });
  const dismiss = make("button", { class: "dismiss", type: "button", "aria-label": texts.dismiss }, icon("M7 7l10 10M17 7L7 17", ""));
  const preview = make("div", { class: "preview", role: "status" });
  const panel = make("div", { class: "panel", id: "panel", role: "dialog", "aria-label": name });
  panel.hidden = true;

  const styles = new CSSStyleSheet();
  styles.replaceSync(`__STYLE__`);
  const host = document.createElement("helpdesk-widget");
  const shadow = host.attachShadow({ mode: "open" });
  shadow.adoptedStyleSheets = [styles];
  shadow.append(panel, preview, button);

  // A page may have no storage. Then the frame is first asked for what is unread once the visitor opens it.
  const remembered = (value) => {
    try {
      if (value !== undefined) localStorage.setItem(key, value);
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  };
  const tell = (type, more) => frame.contentWindow.postMessage({ helpdesk: type, ...more }, site);
  const say = (type, more) => (isReady ? tell(type, more) : waiting.push([type, more]));
  const here = () => ({ open: isOpen, url: location.href, title: document.title });
  const load = () => {
    if (frame) return;
    frame = make("iframe", { title: name, src: `${root}/widget${isOpen ? "" : "?closed=1"}` });
    frame.addEventListener("load", () => tell("hello", here()));
    panel.append(frame);
    // The page's policy may forbid the frame.
    setTimeout(() => {
      if (!isReady && contact) panel.prepend(make("a", { href: contact, target: "_blank", rel: "noopener" }, texts.newTab));
    }, 8000);
  };
  const show = (count, latest) => {
    const isNews = count !== unread;
    unread = count;
    badge.textContent = count > 9 ? "9+" : count || "";
    button.setAttribute("aria-label", isOpen ? texts.close : count ? `${texts.open} (${count})` : texts.open);
    preview.replaceChildren();
    if (latest?.text && !isOpen) {
      said.replaceChildren(make("b", { dir: "auto" }, latest.name), make("span", { dir: "auto" }, latest.text));
      preview.append(said, dismiss);
    }
    if (isNews) for (const each of listeners) each(count);
  };
  const set = (wanted) => {
    if (wanted === isOpen) return;
    const hadFocus = shadow.activeElement;
    isOpen = wanted;
    panel.hidden = !wanted;
    button.setAttribute("aria-expanded", wanted);
    load();
    say("state", here());
    show(wanted ? 0 : unread);
    if (wanted) frame.focus();
    else if (hadFocus) button.focus();
  };
  const api = {
    open: () => set(true),
    close: () => set(false),
    identify(token) {
      // Who never wrote and never was identified has nobody to sign out.
      if (!token && !frame && !remembered()) return;
      if (token) remembered("1");
      load();
      say("identify", { token });
    },
    on(type, listener) {
      if (type !== "unread") return;
      listeners.push(listener);
      listener(unread);
    },
    push: ([method, ...values]) => api[method](...values),
  };
  addEventListener("message", ({ source, origin, data }) => {
    if (!frame || source !== frame.contentWindow || origin !== site) return;
    if (data.helpdesk === "ready") {
      isReady = true;
      for (const each of waiting.splice(0)) tell(...each);
    } else if (data.helpdesk === "known") remembered(data.known ? "1" : "");
    else if (data.helpdesk === "unread") show(isOpen ? 0 : data.count, data.latest);
    else if (data.helpdesk === "close") set(false);
  });
  shadow.addEventListener("keydown", (event) => event.key === "Escape" && set(false));
  button.addEventListener("click", () => set(!isOpen));
  said.addEventListener("click", () => set(true));
  dismiss.addEventListener("click", () => preview.replaceChildren());

  show(0);
  // Beside the body, which some pages replace while they are open.
  document.documentElement.append(host);
  window.Helpdesk = api;
  if (remembered()) load();
  if (Array.isArray(before)) before.forEach(api.push);
})();
