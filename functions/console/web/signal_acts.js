// What is asked before a signal changes: whether its customers are told, the duplicate, an issue, another report.
import { html, useState } from "./vendor/htm-preact.js";
import { get, post } from "./api.js";
import { useLoaded } from "./loading.js";
import { SignalPicker } from "./signal_picker.js";
import { Button, Choice, Dialog, Field, Problem, say, Switch, useWrite } from "./ui.js";
import { count, typed } from "./work.js";

// A dialog that writes: it stays open with its error, and with what was typed, if that fails.
const Ask = ({ title, action, isReady = true, write, saying, onClose, onDone, children }) => {
  const writing = useWrite();
  const run = async () => {
    if (!isReady || !(await writing.write(write))) return;
    if (saying) say(saying);
    onClose();
    onDone();
  };
  return html`
    <${Dialog} title=${title} onClose=${onClose} onSubmit=${run}
      actions=${html`<${Button} onClick=${onClose}>Cancel<//><${Button} kind="main" type="submit" busy=${writing.busy} disabled=${!isReady}>${action}<//>`}>
      ${children}${writing.problem && html`<${Problem} problem=${writing.problem} />`}
    <//>
  `;
};

const Done = ({ signal, choose, ...rest }) => {
  const [notify, setNotify] = useState(true);
  const write = async () => void choose({ status: "done", notify }, notify ? "Done. Its customers get a message." : "Done.");
  return html`
    <${Ask} title="Mark as done?" action="Mark as done" write=${write} ...${rest}>
      <${Switch} label=${`Tell ${count(signal.reporterCount, "customer")} who reported it`} checked=${notify} onChange=${setNotify}
        hint="Each gets one message in their conversation, and by mail where an address is known. It can't be taken back." />
    <//>
  `;
};

const Merge = ({ signal, ...rest }) => {
  const [chosen, setChosen] = useState(null);
  return html`
    <${Ask} title="Merge a duplicate" action="Merge into this signal" isReady=${Boolean(chosen)} saying="Merged."
      write=${() => post(`/signals/${signal.id}/merge`, { duplicateId: chosen.id })} ...${rest}>
      <p>Reports, commits and posts of the one you choose move to “${signal.title}”. Its title is kept as another name. You can't undo it.</p>
      <${SignalPicker} title=${signal.title} except=${signal.id} chosen=${chosen} onChoose=${setChosen} />
      ${chosen && html`<p role="status"><b>${chosen.title}</b> ends in <b>${signal.title}</b>.</p>`}
    <//>
  `;
};

const Report = ({ signal, ...rest }) => {
  const [who, setWho] = useState("");
  const [quote, setQuote] = useState("");
  return html`
    <${Ask} title="Add a report" action="Add report" isReady=${Boolean(who.trim())} saying="Report added."
      write=${() => post(`/signals/${signal.id}/reports`, { who: who.trim(), ...(quote.trim() && { quote: quote.trim() }) })} ...${rest}>
      <p class="hint">For someone who told you in person. Add a customer from their conversation, so that they get a message when it's done.</p>
      <${Field} label="Name"><input value=${who} maxlength="80" required onInput=${typed(setWho)} /><//>
      <${Field} label="Their words" hint="Optional"><textarea value=${quote} maxlength="2000" onInput=${typed(setQuote)}></textarea><//>
    <//>
  `;
};

const Codehost = ({ signal, ...rest }) => {
  const [number, setNumber] = useState("");
  return html`
    <${Ask} title="Link a GitHub issue" action="Link issue" isReady=${/^\d+$/.test(number.trim())}
      saying="Linked. The issue appears here in a few seconds."
      write=${() => post(`/signals/${signal.id}/codehost`, { number: Number(number) })} ...${rest}>
      <${Field} label="Number of the issue" hint="An open or closed issue of your issue repository. Both move together from then on.">
        <input inputmode="numeric" pattern="[0-9]*" value=${number} onInput=${(event) => setNumber(event.currentTarget.value.replace("#", ""))} /><//>
    <//>
  `;
};

const Tracker = ({ signal, ...rest }) => {
  const [identifier, setIdentifier] = useState("");
  const [team, setTeam] = useState("");
  const loaded = useLoaded(() => get("/integrations/tracker").catch(() => ({ teams: [] })));
  const teams = (loaded.data?.teams ?? []).map((each) => [each.key, each.name]);
  const body = identifier.trim() ? { identifier: identifier.trim() } : team ? { team } : {};
  return html`
    <${Ask} title="Open or link a Linear issue" action=${identifier.trim() ? "Link issue" : "Open an issue"}
      saying="The issue appears here in a few seconds."
      write=${() => post(`/signals/${signal.id}/tracker`, body)} ...${rest}>
      <${Field} label="Existing issue" hint="Such as ENG-12. Leave it empty to open a new one.">
        <input value=${identifier} onInput=${typed(setIdentifier)} /><//>
      ${!identifier.trim() && teams.length > 0 && html`
        <${Choice} label="Team" value=${team} options=${[["", "The team that is set"], ...teams]} onChange=${setTeam} />`}
    <//>
  `;
};

const ACTS = { done: Done, merge: Merge, report: Report, codehost: Codehost, tracker: Tracker };

export const SignalAct = ({ name, ...rest }) => html`<${ACTS[name]} ...${rest} />`;
