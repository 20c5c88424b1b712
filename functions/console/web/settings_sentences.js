// Sentences: what visitors read from the agent, the widget and the mails, in each language. A team can put its own in place of each.
import { html, useState } from "./vendor/htm-preact.js";
import { get, patch } from "./api.js";
import { Shown, useLoaded } from "./loading.js";
import { can } from "./session.js";
import { FormDialog, Head, LANGUAGES, useForm } from "./settings_parts.js";
import { Badge, Button, Choice, Field, attempt, say } from "./ui.js";

const LANGUAGE_NAMES = Object.fromEntries(LANGUAGES);
const GROUPS = [["widget", "Chat widget"], ["refusal", "When a message can't be sent"], ["mail", "Mails"]];

const groupOf = (name) => GROUPS.find(([start]) => name.startsWith(start))?.[1] ?? "Conversations";

// The name of a sentence in words: "answerIntroSection" is "Answer intro section".
const inWords = (name) => {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words[0].toUpperCase() + words.slice(1);
};

const save = (name, language, text) => patch("/agent?texts=true", { texts: { [name]: { [language]: text } } });

const Edit = ({ name, language, text, onClose, onSaved }) => {
  const form = useForm({ text }, async (changes) => {
    onSaved(await save(name, language, changes.text ?? text));
    say("The sentence is saved");
  });
  const placeholders = text.match(/\{\w+\}/g);
  const hint = placeholders ? `${[...new Set(placeholders)].join(", ")} is filled in.` : null;
  return html`
    <${FormDialog} title=${`${inWords(name)}, ${LANGUAGE_NAMES[language]}`} form=${form} action="Save the sentence" onClose=${onClose}>
      <${Field} label="Sentence" hint=${hint} error=${form.error("texts")}><textarea ...${form.text("text")} required rows="4" maxlength="400" /><//>
    <//>
  `;
};

const Row = ({ name, language, text, isOwn, onSaved }) => {
  const [isEditing, setEditing] = useState(false);
  const reset = () => attempt(async () => onSaved(await save(name, language, null)), "Back to the default");
  return html`
    <li>
      <span class="grow"><small>${inWords(name)}</small>${text}</span>
      ${isOwn && html`<${Badge} tone="info">Yours<//>`}
      ${can("admin") && html`
        <span class="buttons">
          ${isOwn && html`<${Button} kind="quiet" label=${`Use the default: ${inWords(name)}`} onClick=${reset}>Use the default<//>`}
          <${Button} icon="edit" kind="quiet" label=${`Change: ${inWords(name)}`} onClick=${() => setEditing(true)} />
        </span>
      `}
      ${isEditing && html`<${Edit} name=${name} language=${language} text=${text} onClose=${() => setEditing(false)} onSaved=${onSaved} />`}
    </li>
  `;
};

export default function Sentences() {
  const loaded = useLoaded(() => get("/agent", { texts: true }));
  const [chosen, setChosen] = useState(null);
  const language = chosen ?? loaded.data?.language ?? "en";
  return html`
    <${Head} title="Sentences" lead="What visitors read from the agent, the widget and the mails. Put your own in place of any.">
      <${Choice} label="Language" value=${language} options=${LANGUAGES} onChange=${setChosen} />
    <//>
    <${Shown} loaded=${loaded}>${({ texts, customTexts }) => html`
      <div class="stack large">${["Conversations", ...GROUPS.map(([, title]) => title)].map((title) => html`
        <section key=${title} class="stack"><h2>${title}</h2>
          <ul class="rows" aria-label=${title}>${Object.keys(texts).filter((name) => groupOf(name) === title).map((name) => html`
            <${Row} key=${name + language} name=${name} language=${language} text=${texts[name][language]}
              isOwn=${customTexts[name]?.includes(language)} onSaved=${loaded.set} />
          `)}</ul>
        </section>
      `)}</div>
    `}<//>
  `;
}
