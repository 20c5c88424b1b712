// A list of signals to choose one from: those with a similar title first, and others by their words.
import { html, useEffect, useState } from "./vendor/htm-preact.js";
import { get } from "./api.js";
import { Loading, Problem } from "./ui.js";
import { count, KINDS, named, StatusBadge, typed } from "./work.js";

const PAUSE_MS = 250;

// `title` is compared with; `except` is the ID of a signal that isn't offered.
export const SignalPicker = ({ title, except, chosen, onChoose }) => {
  const [words, setWords] = useState("");
  const [state, setState] = useState({ signals: null, problem: null });
  useEffect(() => {
    let isCurrent = true;
    const timer = setTimeout(async () => {
      try {
        const { signals } = words.trim() ? await get("/signals", { q: words.trim(), limit: 20 }) : await get("/signals/similar", { title });
        if (isCurrent) setState({ signals: signals.filter((each) => each.id !== except), problem: null });
      } catch (problem) {
        if (isCurrent) setState({ signals: [], problem });
      }
    }, words ? PAUSE_MS : 0);
    return () => ((isCurrent = false), clearTimeout(timer));
  }, [words, title]);
  return html`
    <input type="search" aria-label="Find a signal" placeholder="Find a signal by its words" value=${words} onInput=${typed(setWords)}
      onKeyDown=${(event) => event.key === "Enter" && event.preventDefault()} />
    ${state.problem && html`<${Problem} problem=${state.problem} />`}
    ${!state.signals ? html`<${Loading} lines=${3} />` : html`
      <fieldset class="picks">
        <legend class="hint">${words.trim() ? "With these words" : "With a similar title"}</legend>
        ${state.signals.map((each) => html`
          <label key=${each.id}>
            <input type="radio" name="signal" checked=${chosen?.id === each.id} onChange=${() => onChoose(each)} />
            <span class="grow">${each.title}<small>${named(KINDS, each.kind)} · ${count(each.reporterCount, "customer")}</small></span>
            <${StatusBadge} status=${each.status} />
          </label>
        `)}
        ${!state.signals.length && html`
          <p class="hint" role="status">${words.trim() ? "Nothing has all these words." : "Nothing is similar. Search for it."}</p>`}
      </fieldset>
    `}
  `;
};
