// Text as elements. Nothing here makes HTML from a text, so a message can't add markup, scripts or styles of its own.
import { html } from "./vendor/htm-preact.js";

const SAFE = /^(https?:|mailto:)/i;
const ADDRESS = /https?:\/\/[^\s<>"']+[^\s<>"'.,;:!?)\]}]/g;

const Link = ({ to, children }) =>
  SAFE.test(to) ? html`<a href=${to} target="_blank" rel="noopener noreferrer nofollow">${children}</a>` : html`<span>${children}</span>`;

// A text as someone typed it, with its web addresses as links.
export const Plain = ({ text }) => {
  const parts = [];
  let at = 0;
  for (const found of text.matchAll(ADDRESS)) {
    parts.push(text.slice(at, found.index), html`<${Link} to=${found[0]}>${found[0]}<//>`);
    at = found.index + found[0].length;
  }
  return html`<div class="plain">${parts}${text.slice(at)}</div>`;
};

// What has an end is looked for within a length: a text that opens much and closes nothing would take minutes otherwise.
const INLINE = /(`+)(.{1,1000}?)\1|\*\*(.{1,1000}?)\*\*|__(.{1,1000}?)__|\*([^\s*](?:.{0,1000}?[^\s*])?)\*|!?\[([^\]]{0,500})\]\(<?([^)\s>]{1,2000})>?(?:\s{1,9}"[^"]{0,500}")?\)|<((?:https?:|mailto:)[^>\s]{1,2000})>|(https?:\/\/[^\s<>"']+[^\s<>"'.,;:!?)\]}])|\\([\\`*_[\]()#+\-.!])/;

const inline = (text, depth = 0) => {
  const parts = [];
  let rest = text;
  while (rest) {
    const found = depth < 4 ? INLINE.exec(rest) : null;
    if (!found) break;
    parts.push(rest.slice(0, found.index));
    const [whole, , code, strong, strongToo, weak, label, to, address, bare, escaped] = found;
    if (code !== undefined) parts.push(html`<code>${code}</code>`);
    else if (strong ?? strongToo) parts.push(html`<strong>${inline(strong ?? strongToo, depth + 1)}</strong>`);
    else if (weak) parts.push(html`<em>${inline(weak, depth + 1)}</em>`);
    else if (to) parts.push(html`<${Link} to=${to}>${inline(label || to, depth + 1)}<//>`);
    else if (address ?? bare) parts.push(html`<${Link} to=${address ?? bare}>${address ?? bare}<//>`);
    else parts.push(escaped ?? whole);
    rest = rest.slice(found.index + whole.length);
  }
  return [...parts, rest];
};

const ITEM = /^(\s*)([-*+]|\d{1,4}[.)])\s+(.*)$/;
const cells = (line) => line.trim().replace(/^\||\|$/g, "").split("|").map((each) => each.trim());

// Deeper than this, a quote or a list is shown as text: a page of ">" must not be a page that can't be shown.
const MOST_NESTED = 12;

const list = (lines, depth) => {
  const [, indent, mark] = ITEM.exec(lines[0]);
  const items = [];
  for (const line of lines) {
    const found = ITEM.exec(line);
    if (found && found[1].length <= indent.length) items.push([found[3]]);
    else items.at(-1).push(line.slice(Math.min(indent.length + 2, line.search(/\S|$/))));
  }
  const body = items.map(([first, ...more]) => html`<li>${inline(first)}${more.length > 0 && blocks(more, depth + 1)}</li>`);
  return /\d/.test(mark) ? html`<ol start=${parseInt(mark, 10)}>${body}</ol>` : html`<ul>${body}</ul>`;
};

const table = (lines) => html`
  <div class="scroll"><table>
    <thead><tr>${cells(lines[0]).map((each) => html`<th>${inline(each)}</th>`)}</tr></thead>
    <tbody>${lines.slice(2).map((line) => html`<tr>${cells(line).map((each) => html`<td>${inline(each)}</td>`)}</tr>`)}</tbody>
  </table></div>
`;

const starts = (line) => /^(#{1,6}\s|```|~~~|>|\s*([-*+]|\d{1,4}[.)])\s+\S|(\*\s*){3,}$|(-\s*){3,}$)/.test(line);

// The text of a heading, without the marks that may close it.
const titled = (text) => {
  const whole = text.trimEnd();
  let end = whole.length;
  while (whole[end - 1] === "#") end -= 1;
  return end === 0 || /\s/.test(whole[end - 1]) ? whole.slice(0, end).trimEnd() : whole;
};

const isRule = (line) => {
  const parts = line.includes("-") ? cells(line) : [];
  return parts.length > 1 && parts.every((each) => /^:?-+:?$/.test(each));
};

const blocks = (lines, depth = 0) => {
  const found = [];
  const nests = depth < MOST_NESTED;
  for (let at = 0; at < lines.length; ) {
    const line = lines[at];
    const take = (more) => {
      const begin = at;
      at += 1;
      while (at < lines.length && more(lines[at])) at += 1;
      return lines.slice(begin, at);
    };
    const fence = /^\s*(```|~~~)/.exec(line);
    const heading = /^(#{1,6})\s+(.*)$/.exec(line);
    if (!line.trim()) at += 1;
    else if (fence) {
      const body = take((next) => !next.trim().startsWith(fence[1])).slice(1);
      at += 1;
      found.push(html`<pre tabindex="0"><code>${body.join("\n")}</code></pre>`);
    } else if (heading) {
      found.push(html`<p class=${`heading level-${heading[1].length}`}><strong>${inline(titled(heading[2]))}</strong></p>`);
      at += 1;
    } else if (/^((\*\s*){3,}|(-\s*){3,})$/.test(line)) {
      found.push(html`<hr />`);
      at += 1;
    } else if (nests && line.startsWith(">")) {
      found.push(html`<blockquote>${blocks(take((next) => next.startsWith(">")).map((each) => each.replace(/^>\s?/, "")), depth + 1)}</blockquote>`);
    } else if (nests && ITEM.test(line)) {
      found.push(list(take((next) => ITEM.test(next) || /^\s+\S/.test(next)), depth));
    } else if (line.includes("|") && isRule(lines[at + 1] ?? "")) {
      found.push(table(take((next) => next.includes("|"))));
    } else {
      found.push(html`<p>${take((next) => next.trim() && !starts(next)).map((each, index) => html`${index > 0 && html`<br />`}${inline(each)}`)}</p>`);
    }
  }
  return found;
};

// Markdown, as the agent writes it: a line break is one.
export const Markdown = ({ text }) => html`<div class="prose">${blocks(text.split(/\r?\n/))}</div>`;

const isWhole = (line) => !line.trim() || /^#{1,6}\s|^\s*(```|~~~)|( {2}|\\)$/.test(line) || line.includes("|");

// The lines of a text whose paragraphs are broken only to keep lines short.
const unwrapped = (lines) => {
  const found = [];
  let fence = null;
  let isOpen = false;
  for (const line of lines) {
    const mark = /^\s*(```|~~~)/.exec(line)?.[1];
    const quote = line.startsWith("> ") && found.at(-1)?.startsWith("> ") ? line.slice(2) : line;
    const follows = isOpen && !fence && !mark && !isWhole(line) && !starts(quote);
    if (follows) found[found.length - 1] += ` ${quote.trim()}`;
    else found.push(line);
    isOpen = !isWhole(line);
    if (mark && (!fence || fence === mark)) fence = fence ? null : mark;
  }
  return found;
};

// Markdown of a document, as the help site shows it: only an empty line, or two spaces at the end, begins another one.
export const Article = ({ text }) => html`<div class="prose">${blocks(unwrapped(text.split(/\r?\n/)))}</div>`;
