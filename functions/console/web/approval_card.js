// A call of a tool that waits for a person: what would run, for whom, and the decision.
import { html, useState } from "./vendor/htm-preact.js";
import { post } from "./api.js";
import { href } from "./router.js";
import { memberName } from "./session.js";
import { Badge, Button, Field, Problem, Time } from "./ui.js";

const TONES = { pending: "warn", approved: "good", denied: "bad", expired: "plain" };
const RISKS = { low: ["plain", "low risk"], medium: ["info", "medium risk"], reviewed: ["warn", "reviewed"], high: ["bad", "high risk"] };

const shown = (value) => (typeof value === "string" ? value : JSON.stringify(value));

export const ApprovalCard = ({ approval, isBrief = false, onDecided }) => {
  const [note, setNote] = useState("");
  const [busy, setBusy] = useState(null);
  const [problem, setProblem] = useState(null);
  const decide = async (how) => {
    setBusy(how);
    setProblem(null);
    try {
      await post(`/approvals/${approval.id}/${how}`, note.trim() ? { note: note.trim() } : {});
      onDecided();
    } catch (error) {
      setProblem(error);
      setBusy(null);
      if (error.code?.startsWith("approval_")) onDecided();
    }
  };
  const risk = RISKS[approval.risk] ?? ["plain", approval.risk];
  const input = Object.entries(approval.input);
  return html`
    <article class="card approval">
      <header class="buttons spread">
        <${isBrief ? "h4" : "h2"}><code>${approval.tool}</code><//>
        <span class="buttons"><${Badge} tone=${risk[0]}>${risk[1]}<//>${approval.status !== "pending" && html`<${Badge} tone=${TONES[approval.status]}>${approval.status}<//>`}</span>
      </header>
      ${approval.reason && html`<p>${approval.reason}</p>`}
      ${input.length > 0 ? html`<dl class="facts">${input.map(([name, value]) => html`<dt key=${name}>${name}</dt><dd class="code">${shown(value)}</dd>`)}</dl>` : html`<p class="hint">Without input.</p>`}
      ${!isBrief && html`
        <p class="hint">For <a href=${href(`/customers/${approval.customer.id}`)}>${approval.customer.name ?? approval.customer.email ?? "a visitor"}</a>
          in <a href=${href(`/conversations/${approval.conversationId}`)}>this conversation</a> · <${Time} at=${approval.requestedAt} /></p>
      `}
      ${approval.status === "pending" ? html`
        ${problem && html`<${Problem} problem=${problem} />`}
        <${Field} label="Note for the agent" hint="Optional. The agent reads it."><input value=${note} maxlength="1000" onInput=${(event) => setNote(event.currentTarget.value)} /><//>
        <div class="buttons">
          <${Button} kind="main" icon="check" busy=${busy === "approve"} disabled=${busy} onClick=${() => decide("approve")}>Approve and run<//>
          <${Button} kind="danger" busy=${busy === "deny"} disabled=${busy} onClick=${() => decide("deny")}>Deny<//>
          <span class="hint">Expires in <${Time} at=${approval.expiresAt} /></span>
        </div>
      ` : html`
        <p class="hint">${approval.decidedBy || approval.decidedByName ? html`Decided by ${approval.decidedBy ? memberName(approval.decidedBy) : approval.decidedByName} ` : ""}${approval.decidedAt && html`· <${Time} at=${approval.decidedAt} />`}</p>
        ${approval.note && html`<p>“${approval.note}”</p>`}
        ${approval.result && html`<details><summary>Result${approval.outcome ? `: ${approval.outcome}` : ""}</summary><pre tabindex="0">${approval.result}</pre></details>`}
      `}
    </article>
  `;
};
