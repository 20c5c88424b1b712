// What visitors searched for on the help site without finding anything: write an article, or give a document these words.
import { html, useEffect, useState } from "./vendor/htm-preact.js";
import { get, post } from "./api.js";
import { More, usePages } from "./loading.js";
import { href } from "./router.js";
import { Button, Dialog, Empty, Problem, say, Time } from "./ui.js";

const PAUSE_MS = 200;

// Chooses a document; `run(document)` returns a promise.
const ChooseDocument = ({ title, words: first, run, onClose }) => {
  const [words, setWords] = useState(first);
  const [found, setFound] = useState(null);
  const [problem, setProblem] = useState(null);
  useEffect(() => {
    let isCurrent = true;
    const timer = setTimeout(() => get("/knowledge/documents", { q: words.trim(), limit: 8 })
      .then((answer) => isCurrent && setFound(answer.documents), (error) => isCurrent && setProblem(error)), PAUSE_MS);
    return () => ((isCurrent = false), clearTimeout(timer));
  }, [words]);
  const choose = async (document) => {
    setProblem(null);
    try {
      await run(document);
      onClose();
    } catch (error) {
      setProblem(error);
    }
  };
  return html`
    <${Dialog} title=${title} onClose=${onClose} onSubmit=${() => found?.[0] && choose(found[0])}>
      <input type="search" autofocus aria-label="Find a document" placeholder="Find a document" value=${words}
        onInput=${(event) => setWords(event.currentTarget.value)} />
      ${problem && html`<${Problem} problem=${problem} />`}
      <ul class="choices">${(found ?? []).map((each) => html`<li key=${each.id}><button type="button" onClick=${() => choose(each)}><span>
        ${each.title}</span></button></li>`)}</ul>
      ${found?.length === 0 && html`<p class="hint" role="status">No document has these words.</p>`}
    <//>
  `;
};

export const Searches = () => {
  const pages = usePages("/site/searches", "searches");
  const [asked, setAsked] = useState(null);
  const add = async (document) => {
    await post(`/knowledge/documents/${document.id}/aliases`, { alias: asked.slice(0, 120) });
    pages.change((all) => all.filter((each) => each.query !== asked));
    say(`“${document.title}” is found by these words now.`);
  };
  if (pages.isDone && !pages.items.length) {
    return html`<${Empty} icon="search"
      title="Every search found something"><p>When visitors of the help site search for something and nothing fits, it appears here.</p><//>`;
  }
  return html`
    <p class="lead under">Visitors of the help site searched for these and found nothing that fits.</p>
    <ul class="rows">${pages.items.map((each) => html`
      <li key=${each.query}>
        <span class="grow"><b>${each.query}</b><small>${each.count === 1 ? "once" : `${each.count.toLocaleString()} times`}, last <${Time}
          at=${each.lastAt} /></small></span>
        <${Button} onClick=${() => setAsked(each.query)}>Add to a document …<//>
        <a class="button" href=${href(`/knowledge/new?${new URLSearchParams({ title: each.query.slice(0, 120), alias: each.query.slice(0, 120) })}`)}>Write a document</a>
      </li>
    `)}</ul>
    <${More} pages=${pages} />
    ${asked && html`<${ChooseDocument} title=${`Which document answers “${asked}”?`} words=${asked} run=${add} onClose=${() => setAsked(null)} />`}
  `;
};
