// The page of the chat widget inside its frame: talks to the page around it, sends forms without loading another page,
// and asks for what is unread while the panel is closed. It answers only an origin that the organization listed.
"use strict";
(() => {
  const html = document.documentElement, { origins, root, name } = JSON.parse(html.dataset.widget);
  const FIRST = 15000, LAST = 120000, GROWTH = 1.3, GIVES_UP = 3600000;
  const $ = (selector, within = document) => within.querySelector(selector);
  const form = $("#write form"), thread = $(".thread"), problem = $("#problem");
  let host = "", timer = 0, pause = FIRST, news = Date.now(), state = "", page = null;

  const say = (type, more) => host && parent.postMessage({ helpdesk: type, ...more }, host);
  const go = (path) => location.replace(root + path);

  // The page around it.
  const stateIs = ({ open, url, title }) => {
    page = { url, title };
    if (open === !("closed" in html.dataset)) return;
    if (open && name === "widget_closed") return go("/widget");
    if (open) delete html.dataset.closed;
    else html.dataset.closed = "";
    document.dispatchEvent(new Event("visibilitychange"));
    if (open) arrive();
  };
  const arrive = () => {
    bottom();
    if (form && matchMedia("(pointer: fine)").matches) form.elements.body.focus();
  };
  // Who a token says the visitor is; two tokens of one user differ only in when they were made.
  const claimsOf = (token) => {
    try {
      const { iat, exp, jti, ...claims } = JSON.parse(atob(token.split(".")[1].replace(/-/g, "+").replace(/_/g, "/")));
      return JSON.stringify(claims);
    } catch {
      return "";
    }
  };
  const remembered = (claims) => {
    try {
      if (claims !== undefined) localStorage.setItem(root, claims);
      return localStorage.getItem(root);
    } catch {
      return null;
    }
  };
  const identify = async (token) => {
    const claims = token ? claimsOf(token) : "";
    if ("user" in html.dataset ? claims && claims === remembered() : !token) return;
    const body = new URLSearchParams({ csrf: html.dataset.csrf, token: token || "" });
    const answer = await fetch(root + "/sign-in/widget", { method: "POST", body, credentials: "same-origin" });
    const { changed, code } = await answer.json().catch(() => ({}));
    if (!answer.ok) return console.warn(`Helpdesk: the visitor is not identified (${code || answer.status}).`);
    remembered(claims);
    if (changed) go("closed" in html.dataset ? "/widget?closed=1" : "/widget");
  };
  addEventListener("message", ({ source, origin, data }) => {
    if (source !== parent || parent === window || !origins.includes(origin)) return;
    if (data?.helpdesk === "hello") {
      host = origin;
      say("ready");
      if (thread) say("known", { known: true });
      stateIs(data);
      if (data.open && name !== "widget_closed") arrive();
      plan();
    } else if (data?.helpdesk === "state") stateIs(data);
    else if (data?.helpdesk === "identify") identify(data.token);
  });
  addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !event.isComposing) say("close");
  });
  $("#close").addEventListener("click", () => say("close"));
  // Going from page to page leaves no trace in the history of the page around it.
  addEventListener("click", (event) => {
    const link = event.target.closest("a[target=_self]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    location.replace(link.href);
  });

  // What is unread, while the panel is closed.
  const plan = () => {
    clearTimeout(timer);
    const isOver = Date.now() - news > GIVES_UP;
    const mayHave = "cookie" in html.dataset && state !== "none";
    if ("closed" in html.dataset && mayHave && !document.hidden && !isOver) timer = setTimeout(look, state ? pause : 0);
  };
  const look = async () => {
    try {
      const answer = await fetch(`${root}/widget/unread?state=${encodeURIComponent(state)}`, { cache: "no-store", credentials: "same-origin" });
      if (!answer.ok) throw answer;
      const found = await answer.json();
      pause = found.state === state ? Math.min(pause * GROWTH, LAST) : FIRST;
      if (found.state !== state) {
        news = Date.now();
        if ("closed" in html.dataset) say("unread", found);
        say("known", { known: found.state !== "none" || "user" in html.dataset });
      }
      state = found.state;
    } catch {
      pause = LAST;
      state ||= "?";
    }
    plan();
  };
  document.addEventListener("helpdesk:hint", () => "closed" in html.dataset && look());
  document.addEventListener("visibilitychange", () => {
    news = Date.now();
    pause = FIRST;
    plan();
  });

  // The thread.
  const scroller = $("main"), bottom = () => scroller.scrollTo(0, scroller.scrollHeight);
  const local = () => {
    for (const each of document.querySelectorAll("time:not([data-local])")) {
      const at = new Date(each.dateTime), isToday = at.toDateString() === new Date().toDateString();
      each.dataset.local = "";
      each.textContent = at.toLocaleString(html.lang, { timeStyle: "short", ...(!isToday && { dateStyle: "medium" }) });
    }
  };
  local();
  if (thread) {
    new MutationObserver(() => { local(); bottom(); }).observe(thread, { childList: true });
    bottom();
  }

  // Forms.
  const read = async (answer) => new DOMParser().parseFromString(await answer.text(), "text/html");
  const send = async (sent) => {
    const isMessage = sent === form, body = new URLSearchParams(new FormData(sent));
    if (isMessage && page) body.set("page", JSON.stringify(page));
    if (isMessage) {
      await Promise.allSettled(uploads.values());
      body.set("files", JSON.stringify([...uploads.keys()].map((each) => each.file).filter(Boolean)));
    }
    const pending = isMessage && thread ? waits(sent.elements.body.value) : null;
    const submit = $("button[type=submit]", sent);
    submit.disabled = true;
    problem.textContent = "";
    try {
      const answer = await fetch(sent.action, { method: "POST", body, credentials: "same-origin", cache: "no-store" });
      const next = await read(answer);
      const path = new URL(answer.url).pathname;
      const isHere = path === new URL(sent.action).pathname || path === new URL(form.action).pathname;
      if (answer.ok && !isHere) return location.replace(path);
      if (answer.ok) {
        if (isMessage) {
          sent.elements.body.value = "";
          for (const each of uploads.keys()) each.remove();
          uploads.clear();
          needText();
        }
        submit.blur();
        pending?.remove();
        document.dispatchEvent(new CustomEvent("helpdesk:page", { detail: next }));
      } else problem.textContent = $(".problem", next)?.textContent || problem.dataset.failed;
      // A browser that keeps no cookie of a frame.
      if (answer.status === 403 && $("#elsewhere")) $("#elsewhere").hidden = false;
      for (const name of ["csrf", "once"]) {
        const fresh = $(`#write input[name=${name}]`, next);
        if (fresh) form.elements[name].value = fresh.value;
      }
      if (isMessage) sent.elements.body.focus();
    } catch {
      problem.textContent = problem.dataset.failed;
    } finally {
      pending?.remove();
      submit.disabled = false;
    }
  };
  const waits = (text) => {
    const shown = document.createElement("li"), words = document.createElement("p");
    shown.className = "own pending";
    words.className = "plain";
    words.dir = "auto";
    words.textContent = text;
    shown.append(words);
    thread.append(shown);
    return shown;
  };
  // Files: each is uploaded when it's chosen.
  const MOST_BYTES = 4000000;
  const uploads = new Map();
  const needText = () => { form.elements.body.required = uploads.size === 0; };
  const attach = (file) => {
    const shown = document.createElement("li"), name = document.createElement("bdi"), remove = $("#close").cloneNode(true);
    name.textContent = file.name;
    remove.removeAttribute("id");
    remove.title = remove.ariaLabel = html.dataset.remove;
    const drop = () => {
      shown.remove();
      uploads.delete(shown);
      needText();
    };
    remove.addEventListener("click", drop);
    shown.append(name, remove);
    shown.ariaBusy = "true";
    $("#attached").append(shown);
    const upload = async () => {
      const failed = (text) => {
        problem.textContent = text || problem.dataset.failed;
        drop();
      };
      if (file.size > MOST_BYTES) return failed(problem.dataset.size);
      const headers = { "content-type": file.type || "application/octet-stream", "x-csrf": html.dataset.csrf };
      const path = `${root}/widget/files?name=${encodeURIComponent(file.name)}`;
      try {
        const answer = await fetch(path, { method: "POST", body: file, headers, credentials: "same-origin" });
        const found = await answer.json().catch(() => ({}));
        if (!answer.ok) return failed(found.problem);
        shown.file = found;
        shown.ariaBusy = "false";
      } catch {
        failed();
      }
    };
    uploads.set(shown, upload());
    needText();
  };
  const chosen = (files) => {
    problem.textContent = "";
    for (const file of files) attach(file);
  };
  $("#files")?.addEventListener("change", ({ target }) => {
    chosen([...target.files]);
    target.value = "";
  });
  form?.elements.body.addEventListener("paste", (event) => {
    const files = [...event.clipboardData.files];
    if (files.length > 0) event.preventDefault();
    chosen(files);
  });
  addEventListener("submit", (event) => {
    event.preventDefault();
    send(event.target);
  });
  form?.elements.body.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || !matchMedia("(pointer: fine)").matches) return;
    event.preventDefault();
    if (event.target.value.trim() || uploads.size > 0) form.requestSubmit();
  });
})();
