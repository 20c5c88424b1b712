// Keyboard shortcuts. A screen offers them while it is shown; `?` lists those that work now. None works while someone types.
import { useEffect } from "./vendor/htm-preact.js";
import { cell } from "./store.js";

// Those that work now, in lists of their components.
export const offered = cell([]);

const isTyping = (target) => target.closest?.("input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable]");

let first = null;

addEventListener("keydown", (event) => {
  if (event.defaultPrevented || document.querySelector("dialog[open]")) return;
  const command = event.metaKey || event.ctrlKey;
  const typing = isTyping(event.target);
  if (event.altKey || (typing && !command)) return;
  const name = (command ? "mod+" : "") + (event.key.length === 1 ? event.key.toLowerCase() : event.key);
  const pressed = first ? `${first} ${name}` : name;
  const all = offered.value.flat().reverse();
  const found = all.find((each) => each.key === pressed) ?? (first && all.find((each) => each.key === name));
  first = !command && !first && all.some((each) => each.key.startsWith(`${name} `)) && !found ? name : null;
  if (first) setTimeout(() => (first = null), 1_000);
  if (!found || (typing && !found.typing)) return;
  event.preventDefault();
  found.run();
});

// Offers shortcuts while a component is shown: [{key: "j" | "g i" | "mod+k", text, run}].
export const useKeys = (shortcuts, when = []) => {
  useEffect(() => {
    offered.value = [...offered.value, shortcuts];
    return () => (offered.value = offered.value.filter((each) => each !== shortcuts));
  }, when);
};
