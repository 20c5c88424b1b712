// The entries of a thread: what the visitor, the agent and teammates wrote, notes, and lines about what happened.
import { html } from "./vendor/htm-preact.js";
import { get } from "./api.js";
import { Icon } from "./icons.js";
import { Markdown, Plain } from "./markdown.js";
import { href } from "./router.js";
import { attempt, Avatar, Badge, Time } from "./ui.js";

const UNITS = ["bytes", "KB", "MB"];
const PICTURES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"]);

const size = (bytes) => {
  const unit = bytes < 1_000 ? 0 : bytes < 1_000_000 ? 1 : 2;
  return `${(bytes / 1_000 ** unit).toFixed(unit && bytes < 10 * 1_000 ** unit ? 1 : 0)} ${UNITS[unit]}`;
};

export const Files = ({ files }) => html`
  <ul class="files" aria-label="Files">
    ${files.map((file) => html`
      <li key=${file.url}>
        <a href=${file.url} target="_blank" rel="noopener noreferrer">
          ${PICTURES.has(file.type) && file.size < 5_000_000
            ? html`<img src=${file.url} alt=${file.name} loading="lazy" />`
            : html`<${Icon} name="clip" /><span class="clip">${file.name}</span><small>${size(file.size)}</small>`}
        </a>
      </li>
    `)}
  </ul>
`;

// A page leads to its document, which leads back to the conversation and shows the section.
const documentPath = (page, conversationId) =>
  `/knowledge/${page.documentId}?${new URLSearchParams({ conversation: conversationId, ...(page.heading && { heading: page.heading }) })}`;

const Pages = ({ title, pages, conversationId }) => html`
  <details class="pages">
    <summary>${title}</summary>
    <ul>
      ${pages.map((page) => html`
        <li key=${page.documentId + (page.heading ?? "")}>
          <a href=${href(documentPath(page, conversationId))}>${page.title}</a>${page.heading && html`<small>${page.heading}</small>`}
          ${page.score !== undefined && html`<small>${Math.round(page.score * 100)} % likely</small>`}
        </li>
      `)}
    </ul>
  </details>
`;

const OUTCOMES = {
  sent: ["plain", "Mailed"],
  refused: ["bad", "Mail refused"],
  bounced: ["bad", "Mail bounced"],
  complained: ["bad", "Marked as spam"],
};

const Mail = ({ entry }) => {
  const { mail } = entry;
  const show = () =>
    attempt(async () => {
      const { url } = await get(`/conversations/${entry.conversationId}/messages/${entry.id}/source`);
      window.open(url, "_blank", "noopener");
    });
  return html`
    <span class="of-mail">
      <${Icon} name="mail" size=${14} /> ${mail.address}
      ${!mail.isVerified && html`<${Badge} tone="warn">sender not verified<//>`}
      <button type="button" class="as-link" onClick=${show}>Show the mail</button>
    </span>
  `;
};

const author = (entry, customer) => {
  if (entry.sender === "visitor") return customer.name ?? customer.email ?? entry.mail?.name ?? "Visitor";
  return entry.agent?.name ?? "Your team";
};

const Line = ({ entry }) => html`
  <li class="line">
    <p><${Plain} text=${entry.body} /> <${Time} at=${entry.createdAt} /></p>
    ${entry.found.length > 0 && html`<${Pages} title="What the agent found" pages=${entry.found} conversationId=${entry.conversationId} />`}
  </li>
`;

const kindOf = (entry) => (entry.kind === "note" ? "note" : entry.sender === "visitor" ? "visitor" : entry.agent?.kind === "ai" ? "agent" : "team");

const Entry = ({ entry, customer, isFollowing }) => {
  if (entry.kind === "system") return html`<${Line} entry=${entry} />`;
  const kind = kindOf(entry);
  const name = author(entry, customer);
  const outcome = OUTCOMES[entry.mailed];
  return html`
    <li class=${`entry ${kind} ${isFollowing ? "following" : ""}`} id=${entry.id}>
      ${!isFollowing && html`
        <div class="by">
          ${kind === "agent" ? html`<span class="agent-mark"><${Icon} name="agent" size=${18} /></span>` : html`<${Avatar} name=${name} size=${24} />`}
          <b>${name}</b>
          ${kind === "agent" && html`<${Badge} tone="info">AI agent<//>`}
          ${kind === "note" && html`<${Badge} tone="warn">Note · only your team sees it<//>`}
          <${Time} at=${entry.createdAt} />
        </div>
      `}
      <div class="said-text">
        ${kind === "agent" ? html`<${Markdown} text=${entry.body} />` : entry.body && html`<${Plain} text=${entry.body} />`}
        ${entry.attachments.length > 0 && html`<${Files} files=${entry.attachments} />`}
      </div>
      <div class="about">
        ${entry.sources.length > 0 && html`<${Pages} title=${entry.sources.length === 1 ? "1 source" : `${entry.sources.length} sources`} pages=${entry.sources} conversationId=${entry.conversationId} />`}
        ${entry.found.length > 0 && html`<${Pages} title="Pages it asks about" pages=${entry.found} conversationId=${entry.conversationId} />`}
        ${entry.mail && html`<${Mail} entry=${entry} />`}
        ${outcome && html`<${Badge} tone=${outcome[0]}>${outcome[1]}<//>`}
      </div>
    </li>
  `;
};

const CLOSE_MS = 5 * 60_000;
const day = new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long" });

// The entries, oldest first, with a line for each day. Entries of one author within five minutes stand together.
export const Entries = ({ entries, customer }) => {
  const shown = [];
  entries.forEach((entry, index) => {
    const before = entries[index - 1];
    const today = day.format(entry.createdAt);
    const isNewDay = !before || day.format(before.createdAt) !== today;
    if (isNewDay) shown.push(html`<li class="day" key=${`day ${today}`}><span>${today}</span></li>`);
    const isFollowing =
      !isNewDay && before.kind === entry.kind && kindOf(before) === kindOf(entry) && author(before, customer) === author(entry, customer) &&
      entry.createdAt - before.createdAt < CLOSE_MS && entry.kind !== "system";
    shown.push(html`<${Entry} key=${entry.id} entry=${entry} customer=${customer} isFollowing=${isFollowing} />`);
  });
  return shown;
};
