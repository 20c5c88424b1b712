// The list of the keyboard shortcuts that work now.
import { html } from "./vendor/htm-preact.js";
import { offered } from "./keys.js";
import { useCell } from "./store.js";
import { Dialog } from "./ui.js";

const isMac = /Mac|iP/.test(navigator.platform);
const drawn = (key) => key.split(" ").map((part) => html`<kbd>${part.replace("mod+", isMac ? "⌘" : "Ctrl ")}</kbd>`);

export const KeyList = ({ onClose }) => {
  const shortcuts = useCell(offered).flat().filter((each) => each.text);
  return html`
    <${Dialog} title="Keyboard shortcuts" onClose=${onClose}>
      <dl class="keys">
        ${shortcuts.map((each) => html`<div key=${each.key}><dt>${each.text}</dt><dd>${drawn(each.key)}</dd></div>`)}
        <div><dt>Send a reply or note</dt><dd>${drawn("mod+Enter")}</dd></div>
        <div><dt>This list</dt><dd>${drawn("?")}</dd></div>
      </dl>
    <//>
  `;
};
