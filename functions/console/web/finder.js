// A dialog in which typing narrows a list, the arrow keys walk it, and Enter or a click takes one.
import { html, useState } from "./vendor/htm-preact.js";
import { Dialog } from "./ui.js";

// `hits` are any things with a `key`, drawn by `draw`. `onWords` gets what is typed; `children` stand below the list.
export const Finder = ({ title, label, placeholder, words, onWords, hits, draw, onPick, onClose, children }) => {
  const [at, setAt] = useState(0);
  const type = (event) => {
    setAt(0);
    onWords(event.currentTarget.value);
  };
  const move = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || !hits.length) return;
    event.preventDefault();
    setAt((at + step + hits.length) % hits.length);
  };
  return html`
    <${Dialog} title=${title} onClose=${onClose} onSubmit=${() => hits[at] && onPick(hits[at])}>
      <input class="palette-input" type="text" role="combobox" aria-expanded="true" aria-controls="hits" aria-label=${label} autofocus
        aria-activedescendant=${hits.length ? `hit-${at}` : undefined} placeholder=${placeholder} value=${words} onInput=${type} onKeyDown=${move} />
      <ul class="hits" role="listbox" id="hits" aria-label=${title}>
        ${hits.map((hit, index) => html`
          <li key=${hit.key} id=${`hit-${index}`} role="option" aria-selected=${String(index === at)} onClick=${() => onPick(hit)} onMouseMove=${() => setAt(index)}>
            ${draw(hit)}
          </li>
        `)}
      </ul>
      ${children}
    <//>
  `;
};
