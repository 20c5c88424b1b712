// The search field of a list: it looks a moment after the last letter, or at once with Enter.
import { html, useEffect, useRef } from "./vendor/htm-preact.js";
import { Icon } from "./icons.js";

const PAUSE_MS = 250;

export const SearchForm = ({ label, placeholder, words, input, onSearch, class: more = "" }) => {
  const timer = useRef(0);
  const latest = useRef(onSearch);
  latest.current = onSearch;
  useEffect(() => () => clearTimeout(timer.current), []);
  const look = () => {
    clearTimeout(timer.current);
    latest.current(input.current.value.trim());
  };
  const type = () => {
    clearTimeout(timer.current);
    timer.current = setTimeout(look, PAUSE_MS);
  };
  return html`
    <form class=${`search ${more}`} role="search" onSubmit=${(event) => (event.preventDefault(), look())}>
      <${Icon} name="search" />
      <input ref=${input} type="search" aria-label=${label} placeholder=${placeholder} defaultValue=${words} onInput=${type} />
    </form>
  `;
};
