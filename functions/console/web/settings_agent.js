// The agent: how it speaks, what it may do, and a trial beside it that shows what a visitor would read.
import { html, useState } from "./vendor/htm-preact.js";
import { get, patch, post } from "./api.js";
import { Shown, useLoaded } from "./loading.js";
import { Markdown } from "./markdown.js";
import { href } from "./router.js";
import { Form, Group, Head, LANGUAGES, Pick, useForm } from "./settings_parts.js";
import { Badge, Button, Field, Loading, Problem, Switch } from "./ui.js";

const FLAGS = [
  ["In conversations", [
    ["autoResolve", "Resolve conversations that it finished", "When the visitor says that all is well."],
    ["nightlySweep", "Resolve quiet conversations at night", "Those that are finished and had no message for a day."],
    ["fileSignals", "File bugs and suggestions", "As signals, while it talks with a visitor."],
  ]],
  ["Learning", [
    ["learnFromThreads", "Learn from resolved conversations", "It reads them and suggests documents."],
    ["suggestKnowledge", "Suggest documents and tools during conversations", "You decide about each suggestion."],
  ]],
  ["Chat widget", [
    ["requireEmail", "Ask for an e-mail address first", "Before a visitor's first message."],
    ["messagePreview", "Preview an unread answer on the closed widget", null],
  ]],
];

const Settings = ({ saved, set }) => {
  const form = useForm(saved, async (changes) => set(await patch("/agent", changes)));
  return html`
    <${Form} form=${form} label="The agent's settings">
      <${Group} title="How it speaks">
        <${Field} label="Name" hint="Visitors see it. 2 to 40 characters." error=${form.error("name")}><input ...${form.text("name")} maxlength="40" autocomplete="off" /><//>
        <${Field} label="Personality" error=${form.error("personality")}
          hint="In your words, such as “Friendly and short. Never promises dates.” Empty: its own manner.">
          <textarea ...${form.text("personality")} rows="4" maxlength="2000" />
        <//>
        <${Pick} label="Language" options=${LANGUAGES} ...${form.pick("language")} hint="Of standard sentences, for visitors whose own language isn't known." />
      <//>
      ${FLAGS.map(([title, flags]) => html`
        <${Group} key=${title} title=${title}>${flags.map(([name, label, hint]) => html`<${Switch} key=${name} label=${label} hint=${hint} ...${form.flag(name)} />`)}<//>
      `)}
    <//>
  `;
};

const OUTCOMES = { answer: ["good", "Answers"], ask_back: ["info", "Asks back"], hand_off: ["warn", "Hands off to the team"] };
const percent = new Intl.NumberFormat(undefined, { style: "percent" });

const Passage = ({ passage }) => html`
  <li>
    <span class="grow"><a href=${href(`/knowledge/${passage.documentId}`)}>${passage.title}</a>${passage.heading && html`<small>${passage.heading}</small>`}</span>
    <small title="How likely this section answers the question">${percent.format(passage.score)}</small>
    <details class="grow"><summary><small>The section</small></summary><div class="prose"><${Markdown} text=${passage.text} /></div></details>
  </li>
`;

const Answer = ({ given }) => {
  const [tone, text] = OUTCOMES[given.outcome] ?? ["plain", given.outcome];
  return html`
    <div class="stack">
      <div class="buttons"><${Badge} tone=${tone}>${text}<//>${given.reason && html`<small>${given.reason}</small>`}</div>
      <div class="answer prose"><${Markdown} text=${given.body} /></div>
      <div class="stack"><h3>Sources</h3>
        ${given.passages.length ? html`<ul class="rows">${given.passages.map((each) => html`<${Passage} key=${each.documentId} passage=${each} />`)}</ul>`
          : html`<p class="hint">It found nothing in your knowledge. Write a document that answers this question, and ask again.</p>`}
      </div>
    </div>
  `;
};

const Trial = () => {
  const [question, setQuestion] = useState("");
  const [state, setState] = useState({});
  const ask = async (event) => {
    event.preventDefault();
    setState({ busy: true });
    try {
      setState({ given: await post("/agent/test", { question: question.trim() }) });
    } catch (problem) {
      setState({ problem });
    }
  };
  const keys = (event) => event.key === "Enter" && (event.ctrlKey || event.metaKey) && question.trim() && ask(event);
  return html`
    <aside class="trial stack" aria-label="Trial">
      <div><h2>Try it</h2><p class="hint">Ask what a visitor would ask. Nothing is sent. The answer follows the saved settings.</p></div>
      <form class="stack" onSubmit=${ask}>
        <${Field} label="Question"><textarea rows="3" maxlength="4000" value=${question} onKeyDown=${keys} onInput=${(event) => setQuestion(event.currentTarget.value)}
          placeholder="How do I change my delivery address?" /><//>
        <div class="buttons"><${Button} type="submit" icon="agent" busy=${state.busy} disabled=${!question.trim()}>Ask the agent<//></div>
      </form>
      <div aria-live="polite">
        ${state.busy && html`<${Loading} lines=${4} />`}${state.problem && html`<${Problem} problem=${state.problem} />`}
        ${state.given && html`<${Answer} given=${state.given} />`}
      </div>
    </aside>
  `;
};

export default function Agent() {
  const loaded = useLoaded(() => get("/agent"));
  return html`
    <${Head} title="Agent" />
    <${Shown} loaded=${loaded}>${(saved) => html`<div class="beside"><${Settings} saved=${saved} set=${loaded.set} /><${Trial} /></div>`}<//>
  `;
}
