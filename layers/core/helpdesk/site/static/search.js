// Shows the titles of articles while someone types a search. Without it, the box is a form that leads to the results.
"use strict";
(() => {
  const LEAST = 2, PAUSE = 150;
  const input = document.querySelector("form.search input");
  const form = input.form, list = document.createElement("ul"), known = new Map();
  let timer = 0, asked = "", busyUntil = 0, asking = null, active = -1;

  list.id = "search-titles";
  list.className = "titles";
  list.hidden = true;
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-labelledby", "q-label");
  form.append(list);
  input.autocomplete = "off";
  for (const [name, value] of Object.entries({
    role: "combobox", "aria-autocomplete": "list", "aria-controls": list.id, "aria-expanded": "false",
  })) input.setAttribute(name, value);

  const isOpen = () => !list.hidden;
  const show = (isShown) => {
    list.hidden = !isShown;
    input.setAttribute("aria-expanded", String(isShown));
    if (!isShown) choose(-1);
  };
  const choose = (number) => {
    active = number;
    [...list.children].forEach((each, place) => {
      each.setAttribute("aria-selected", String(place === active));
      if (place === active) each.scrollIntoView({ block: "nearest" });
    });
    if (active < 0) input.removeAttribute("aria-activedescendant");
    else input.setAttribute("aria-activedescendant", list.children[active].id);
  };
  const fill = (articles) => {
    list.replaceChildren(...articles.map(({ title, path }, number) => {
      const option = document.createElement("li");
      option.id = `search-title-${number}`;
      option.dir = "auto";
      option.dataset.path = path;
      option.textContent = title;
      option.setAttribute("role", "option");
      return option;
    }));
    show(articles.length > 0 && document.activeElement === input);
    choose(-1);
  };
  const typed = () => input.value.trim().replace(/\s+/g, " ") + (/\S\s+$/.test(input.value) ? " " : "");
  const look = async () => {
    const text = typed();
    if (text === asked) return;
    asked = text;
    if (asking) asking.abort();
    // One character of a script without spaces may be a word.
    if (text.length < LEAST && !/[^\0-\u036f]/.test(text)) return fill([]);
    if (known.has(text)) return fill(known.get(text));
    if (Date.now() < busyUntil) return;
    asking = new AbortController();
    try {
      const answer = await fetch(`${form.action}/titles?q=${encodeURIComponent(text)}`, { signal: asking.signal });
      if (!answer.ok) {
        busyUntil = Date.now() + (Number(answer.headers.get("retry-after")) || 10) * 1000;
        return fill([]);
      }
      const { articles } = await answer.json();
      known.set(text, articles);
      if (text === asked) fill(articles);
    } catch { /* another text was typed, or the network is away: the form still works */ }
  };
  const go = (option, isElsewhere) => {
    show(false);
    if (isElsewhere) window.open(option.dataset.path, "_blank", "noopener");
    else location.assign(option.dataset.path);
  };

  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(look, PAUSE);
  });
  input.addEventListener("keydown", (event) => {
    const { key } = event, count = list.children.length;
    if (event.isComposing || !count) return;
    if (key === "ArrowDown" || key === "ArrowUp") {
      event.preventDefault();
      if (!isOpen()) show(true);
      // Before the first and behind the last is the box itself, as number -1.
      const step = key === "ArrowDown" ? 1 : -1;
      choose((active + 1 + step + count + 1) % (count + 1) - 1);
    } else if (key === "Enter" && isOpen() && active >= 0) {
      event.preventDefault();
      go(list.children[active], event.ctrlKey || event.metaKey);
    } else if (key === "Escape" && isOpen()) {
      event.preventDefault();
      show(false);
    }
  });
  input.addEventListener("blur", () => show(false));
  form.addEventListener("submit", () => clearTimeout(timer));
  // The box keeps the focus.
  list.addEventListener("mousedown", (event) => event.preventDefault());
  list.addEventListener("click", (event) => {
    const option = event.target.closest("[role=option]");
    if (option) go(option, event.ctrlKey || event.metaKey);
  });
})();
