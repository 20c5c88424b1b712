// "Find anything": screens by name; conversations, customers, documents, signals and tasks by what they contain.
import { html, useEffect, useState } from "./vendor/htm-preact.js";
import { get } from "./api.js";
import { Icon } from "./icons.js";
import { open } from "./router.js";
import { Dialog } from "./ui.js";

const PAUSE_MS = 200;

const nothing = async (asked) => asked.catch(() => null);

const found = async (words) => {
  const [conversations, customers, documents, signals, tasks] = await Promise.all([
    nothing(get("/conversations", { q: words, limit: 6 })),
    nothing(get("/customers", { q: words, limit: 5 })),
    nothing(get("/knowledge/documents", { q: words, limit: 5 })),
    nothing(get("/signals", { q: words, limit: 5 })),
    nothing(get("/tasks", { q: words, limit: 5 })),
  ]);
  return [
    ...(conversations?.conversations ?? []).map((each) => ({
      icon: "inbox", text: each.subject || "No subject", more: each.customer.name ?? each.customer.email, path: `/conversations/${each.id}`,
    })),
    ...(customers?.customers ?? []).map((each) => ({
      icon: "customers", text: each.name ?? each.email ?? each.id, more: each.name ? each.email : null, path: `/customers/${each.id}`,
    })),
    ...(documents?.documents ?? []).map((each) => ({ icon: "knowledge", text: each.title, path: `/knowledge/${each.id}` })),
    ...(signals?.signals ?? []).map((each) => ({ icon: "signals", text: each.title, path: `/signals/${each.id}` })),
    ...(tasks?.tasks ?? []).map((each) => ({ icon: "tasks", text: each.title, path: `/tasks/${each.id}` })),
  ];
};

export const Palette = ({ screens, onClose }) => {
  const [words, setWords] = useState("");
  const [hits, setHits] = useState([]);
  const [at, setAt] = useState(0);
  useEffect(() => {
    setAt(0);
    setHits([]);
    if (words.trim().length < 2) return undefined;
    let isCurrent = true;
    const timer = setTimeout(async () => {
      const next = await found(words.trim());
      if (isCurrent) setHits(next);
    }, PAUSE_MS);
    return () => ((isCurrent = false), clearTimeout(timer));
  }, [words]);
  const typed = words.trim().toLowerCase();
  const pages = screens
    .filter(([, name]) => name.toLowerCase().includes(typed))
    .map(([screen, name]) => ({ icon: "next", text: name, path: screen === "conversations" ? "/" : `/${screen}` }));
  const all = [...pages.slice(0, typed ? 3 : 10), ...hits];
  const go = (hit) => {
    onClose();
    open(hit.path);
  };
  const move = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || !all.length) return;
    event.preventDefault();
    setAt((at + step + all.length) % all.length);
  };
  return html`
    <${Dialog} title="Find anything" onClose=${onClose} onSubmit=${() => all[at] && go(all[at])}>
      <input
        class="palette-input" type="text" role="combobox" aria-expanded="true" aria-controls="hits" aria-label="Search words" autofocus
        aria-activedescendant=${all.length ? `hit-${at}` : undefined} placeholder="A name, words of a conversation, a document …"
        value=${words} onInput=${(event) => setWords(event.currentTarget.value)} onKeyDown=${move}
      />
      <ul class="hits" role="listbox" id="hits" aria-label="Results">
        ${all.map((hit, index) => html`
          <li key=${hit.path} id=${`hit-${index}`} role="option" aria-selected=${String(index === at)} onClick=${() => go(hit)} onMouseMove=${() => setAt(index)}>
            <${Icon} name=${hit.icon} /><span>${hit.text}</span>${hit.more && html`<small>${hit.more}</small>`}
          </li>
        `)}
      </ul>
      ${typed.length > 1 && !all.length && html`<p class="hint" role="status">Nothing found.</p>`}
    <//>
  `;
};
