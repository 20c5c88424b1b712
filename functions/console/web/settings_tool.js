// One tool: what it does, whether and how the agent may call it, a change that waits, and a test of it.
import { html, useState } from "./vendor/htm-preact.js";
import { patch, post } from "./api.js";
import { can } from "./session.js";
import { Form, Group, Head, Pick, useForm } from "./settings_parts.js";
import { Badge, Button, Field, Problem, Switch, attempt } from "./ui.js";

export const RISKS = {
  low: ["good", "Low risk"], medium: ["info", "Medium risk"], reviewed: ["warn", "Reviewed"], high: ["bad", "High risk"],
};
const BEFORE = {
  low: "Low: it runs at once", medium: "Medium: it runs, and the thread shows it",
  reviewed: "Reviewed: a second model checks each call", high: "High: your team approves each call",
};

const drawn = (value) => (typeof value === "object" && value !== null ? JSON.stringify(value, null, 2) : String(value ?? "none"));
const FIELDS = [
  ["title", "Title"], ["description", "Description"], ["risk", "Risk"], ["requiresIdentity", "Needs a known visitor"], ["inputSchema", "Input"], ["outputSchema", "Output"],
];

const Waiting = ({ tool, reload }) => {
  const now = (name) => drawn(name === "risk" ? tool.declaredRisk : tool[name]);
  const different = FIELDS.filter(([name]) => !tool.inForce || drawn(tool.waiting[name]) !== now(name));
  const accept = async () => {
    await attempt(() => post(`/tool-endpoints/${tool.endpointId}/changes/accept`, { changes: [tool.changeId] }), "The change is in force");
    reload();
  };
  return html`
    <${Group} title=${tool.inForce ? "A change waits for an admin" : "This tool is new and waits for an admin"}
      hint="Your server declares it this way. Make sure that you made this change before you accept it.">
      <dl class="facts">${different.map(([name, label]) => html`
        <dt key=${name}>${label}</dt>
        <dd>${tool.inForce && html`<del><span class="visually-hidden">Now: </span><pre tabindex="0">${now(name)}</pre></del>`}
          <ins><span class="visually-hidden">New: </span><pre tabindex="0">${drawn(tool.waiting[name])}</pre></ins></dd>
      `)}</dl>
      ${can("admin") && html`<div><${Button} kind="main" icon="check" onClick=${accept}>Accept it<//></div>`}
    <//>
  `;
};

// An input to begin with: the required fields of the schema, empty.
const example = ({ properties = {}, required = [] }) => {
  const empty = { string: "", integer: 0, number: 0, boolean: false, array: [], object: {} };
  return JSON.stringify(Object.fromEntries(required.map((name) => [name, properties[name]?.enum?.[0] ?? empty[properties[name]?.type] ?? ""])), null, 2);
};

const Test = ({ tool }) => {
  const [input, setInput] = useState(() => example(tool.inputSchema));
  const [as, setAs] = useState("");
  const [state, setState] = useState({});
  const run = async (event) => {
    event.preventDefault();
    let parsed;
    try {
      parsed = JSON.parse(input || "{}");
    } catch {
      return setState({ wrong: "This isn't JSON. Check its quotes, commas and braces." });
    }
    setState({ busy: true });
    try {
      return setState({ given: await post(`/tools/${encodeURIComponent(tool.name)}/test`, { input: parsed, ...(as.trim() && { as: as.trim() }) }) });
    } catch (problem) {
      return setState({ problem });
    }
  };
  const { given } = state;
  return html`
    <${Group} title="Test" hint="This calls your server once, and tells it that it's a test. Nothing is added to the inbox.">
      <form class="stack narrow" onSubmit=${run}>
        <${Field} label="Input" hint="As JSON." error=${state.wrong}>
          <textarea class="code" rows="5" spellcheck=${false} value=${input} onInput=${(event) => setInput(event.currentTarget.value)} />
        <//>
        <${Field} label="For the customer" hint=${`Your own ID of a customer. ${tool.requiresIdentity ? "This tool needs one." : "Optional."}`}>
          <input value=${as} autocomplete="off" onInput=${(event) => setAs(event.currentTarget.value)} /><//>
        <div><${Button} type="submit" icon="bolt" busy=${state.busy}>Run the test<//></div>
      </form>
      <div aria-live="polite">
        ${state.problem && html`<${Problem} problem=${state.problem} />`}
        ${given && html`<div class="stack"><div><${Badge} tone=${given.ok ? "good" : "bad"}>${given.ok ? "It worked" : "It failed"}<//></div>
          <pre tabindex="0">${given.result ?? given.error}</pre></div>`}
      </div>
    <//>
  `;
};

export const Tool = ({ tool, reload }) => {
  const form = useForm({ enabled: tool.enabled, risk: tool.risk }, async (changes) => {
    await patch(`/tools/${encodeURIComponent(tool.name)}`, changes);
    await reload();
  });
  const order = Object.keys(BEFORE);
  const risks = order.slice(order.indexOf(tool.declaredRisk)).map((risk) => [risk, BEFORE[risk]]);
  const mayTest = can("admin") || ["low", "medium"].includes(tool.risk);
  return html`
    <${Head} title=${tool.title ?? tool.name}><code>${tool.name}</code><//>
    <div class="stack large">
      <p class="narrow">${tool.description}</p>
      ${tool.enabled && tool.inForce && !tool.offered && html`
        <${Problem} problem=${{ message: "The agent has more tools than fit. Switch off those that it doesn't need." }} />`}
      ${tool.waiting && html`<${Waiting} tool=${tool} reload=${reload} />`}
      <${Form} form=${form} label="Settings of the tool">
        <${Group} title="Use">
          <${Switch} label="The agent may call it" hint=${tool.requiresIdentity ? "Only for visitors whose identity is known." : null} ...${form.flag("enabled")} />
          <${Pick} label="Before a call" options=${risks} ...${form.pick("risk")} error=${form.error("risk")}
            hint="You can be stricter than your server declares, not laxer." />
        <//>
      <//>
      ${mayTest && tool.inForce && html`<${Test} tool=${tool} />`}
      <details><summary>Input and output</summary>
        <div class="stack"><pre tabindex="0">${drawn(tool.inputSchema)}</pre>${tool.outputSchema && html`<pre tabindex="0">${drawn(tool.outputSchema)}</pre>`}</div>
      </details>
    </div>
  `;
};
