// Data that a screen loads: one answer, or a list that comes in pages.
import { html, useEffect, useRef, useState } from "./vendor/htm-preact.js";
import { get } from "./api.js";
import { Loading, Problem, say } from "./ui.js";

// Loads something when the screen opens and when one of `keys` changes. Returns {data, problem, reload, set}.
export const useLoaded = (load, keys = []) => {
  const [state, setState] = useState({ data: null, problem: null });
  const run = useRef(0);
  const reload = async () => {
    const mine = (run.current += 1);
    try {
      const data = await load();
      if (mine === run.current) setState({ data, problem: null });
    } catch (problem) {
      if (mine === run.current) setState((before) => ({ ...before, problem }));
    }
  };
  useEffect(() => {
    setState({ data: null, problem: null });
    reload();
    return () => (run.current += 1);
  }, keys);
  return { ...state, reload, set: (data) => setState({ data, problem: null }) };
};

// Loads a list in pages of `limit`: `name` is the field of the answer that has the items. Returns {items, problem, isLoading,
// isDone, more, reload, change}. `change(items => items)` replaces what is shown.
export const usePages = (path, name, query = {}, limit = 50) => {
  const asked = JSON.stringify([path, query]);
  const empty = { asked, items: [], cursor: null, isDone: false, isLoading: true, problem: null };
  const [state, setState] = useState(empty);
  const now = useRef(asked);
  now.current = asked;
  const page = async (cursor, before) => {
    setState((known) => ({ ...known, isLoading: true, problem: null }));
    try {
      const answer = await get(path, { ...query, limit, cursor });
      if (now.current !== asked) return;
      setState({
        asked, items: [...before, ...answer[name]], cursor: answer.nextCursor, isDone: !answer.nextCursor, isLoading: false, problem: null,
      });
    } catch (problem) {
      if (now.current === asked) setState((known) => ({ ...known, isLoading: false, problem }));
    }
  };
  useEffect(() => {
    setState(empty);
    page(null, []);
  }, [asked]);
  const shown = state.asked === asked ? state : empty;
  return {
    ...shown,
    more: () => !shown.isLoading && !shown.isDone && page(shown.cursor, shown.items),
    reload: () => page(null, []),
    change: (how) => setState((known) => ({ ...known, items: how(known.items) })),
  };
};

// The end of a list: loads the next page when it comes into view.
export const More = ({ pages, lines = 4 }) => {
  const end = useRef();
  useEffect(() => {
    if (pages.isDone || pages.problem) return undefined;
    const root = end.current.closest(".list-body, .page");
    const seen = new IntersectionObserver(([entry]) => entry.isIntersecting && pages.more(), { root, rootMargin: "600px" });
    seen.observe(end.current);
    return () => seen.disconnect();
  });
  if (pages.problem) return html`<${Problem} problem=${pages.problem} retry=${pages.items.length ? pages.more : pages.reload} />`;
  return html`<div ref=${end} class="list-end">${pages.isLoading && html`<${Loading} lines=${lines} />`}</div>`;
};

// Shows a screen's data once it is there, and until then what it waits for or why it failed.
export const Shown = ({ loaded, children, lines }) => {
  if (loaded.data !== null) return children(loaded.data);
  if (loaded.problem) return html`<${Problem} problem=${loaded.problem} retry=${loaded.reload} />`;
  return html`<${Loading} lines=${lines} />`;
};

// Loads a sheet beside this module. A screen awaits it at its top, so that it is never shown without.
export const sheet = (name) =>
  new Promise((resolve) => {
    const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: new URL(name, import.meta.url).href });
    link.onload = link.onerror = () => resolve();
    document.head.append(link);
  });

// A module that is loaded when it is first needed; null until it is there.
export const useModule = (load, isNeeded) => {
  const [module, setModule] = useState(null);
  useEffect(() => {
    if (isNeeded && !module) load().then((loaded) => setModule(() => loaded), () => say("A part of this page didn't load. Check your network and try again.", { tone: "bad" }));
  }, [Boolean(isNeeded)]);
  return module;
};
