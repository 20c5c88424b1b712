// "Find anything": screens by name; conversations, customers, documents, signals and tasks by what they contain.
import { html, useEffect, useState } from "./vendor/htm-preact.js";
import { get } from "./api.js";
import { Finder } from "./finder.js";
import { Icon } from "./icons.js";
import { open } from "./router.js";

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
      icon: "inbox", text: each.subject || "No subject", more: each.customer.name ?? each.customer.email, key: `/conversations/${each.id}`,
    })),
    ...(customers?.customers ?? []).map((each) => ({
      icon: "customers", text: each.name ?? each.email ?? each.id, more: each.name ? each.email : null, key: `/customers/${each.id}`,
    })),
    ...(documents?.documents ?? []).map((each) => ({ icon: "knowledge", text: each.title, key: `/knowledge/${each.id}` })),
    ...(signals?.signals ?? []).map((each) => ({ icon: "signals", text: each.title, key: `/signals/${each.id}` })),
    ...(tasks?.tasks ?? []).map((each) => ({ icon: "tasks", text: each.title, key: `/tasks/${each.id}` })),
  ];
};

export const Palette = ({ screens, onClose }) => {
  const [words, setWords] = useState("");
  const [hits, setHits] = useState([]);
  useEffect(() => {
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
    .map(([screen, name]) => ({ icon: "next", text: name, key: screen === "conversations" ? "/" : `/${screen}` }));
  const all = [...pages.slice(0, typed ? 3 : 10), ...hits];
  const go = (hit) => {
    onClose();
    open(hit.key);
  };
  const draw = (hit) => html`<${Icon} name=${hit.icon} /><span>${hit.text}</span>${hit.more && html`<small>${hit.more}</small>`}`;
  return html`
    <${Finder} title="Find anything" label="Search words" placeholder="A name, words of a conversation, a document …"
      words=${words} onWords=${setWords} hits=${all} draw=${draw} onPick=${go} onClose=${onClose}>
      ${typed.length > 1 && !all.length && html`<p class="hint" role="status">Nothing found.</p>`}
    <//>
  `;
};
