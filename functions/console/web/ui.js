// The parts that every screen is built from. They carry the console's look (style.css) and what assistive technology needs.
//
//   Button       {icon, kind: "plain" | "main" | "quiet" | "danger", busy, hotkey, label}   `label` alone: an icon with a name
//   Field        {label, hint, error, children: one input}
//   Switch       {label, hint, checked, onChange(checked)}
//   Choice       {label, value, options: [[value, text]], onChange(value)}
//   Tabs         {label, tabs: [[href, text]], current: href}
//   Badge        {tone: "good" | "warn" | "bad" | "info"}
//   Avatar       {name, size}             initials: a picture's address would report to its owner that we looked
//   Time         {at: ms, full}           "5 min", with the full date on hover
//   Empty        {icon, title, children}  nothing here, and what to do about it
//   Problem      {problem, retry}         an error, said once, with a way on
//   Loading      {lines}                  grey lines while something loads
//   Dialog       {title, onClose, children, actions}
//   Menu         {label, icon, text, items: [{text, icon, hotkey, danger, run} | "-"]}
//   say(text, {undo, tone})               a line at the bottom for a few seconds
import { html, useEffect, useRef, useState } from "./vendor/htm-preact.js";
import { Icon } from "./icons.js";
import { cell, useCell } from "./store.js";

let ids = 0;
const useId = (prefix = "id") => useState(() => `${prefix}${(ids += 1)}`)[0];

export const Button = ({ icon, kind = "plain", busy, label, hotkey, children, class: more = "", type = "button", ...rest }) => html`
  <button
    ...${rest} type=${type} class=${`button ${kind} ${label && !children ? "alone" : ""} ${more}`}
    aria-label=${label} title=${[label, hotkey && `(${hotkey})`].filter(Boolean).join(" ") || undefined}
    aria-busy=${busy ? "true" : undefined} disabled=${rest.disabled || busy}
  >
    ${icon && html`<${Icon} name=${icon} />`}${children && html`<span>${children}</span>`}
  </button>
`;

export const Field = ({ label, hint, error, children, wide }) => {
  const id = useId("field");
  const about = error || hint ? `${id}-about` : undefined;
  const input = { ...children, props: { ...children.props, id, "aria-describedby": about, "aria-invalid": error ? "true" : undefined } };
  return html`
    <div class=${`field ${wide ? "wide" : ""}`}>
      <label for=${id}>${label}</label>
      ${input}
      ${error ? html`<p class="error" id=${about}>${error}</p>` : hint && html`<p class="hint" id=${about}>${hint}</p>`}
    </div>
  `;
};

export const Switch = ({ label, hint, checked, onChange, disabled }) => {
  const id = useId("switch");
  return html`
    <div class="switch">
      <input
        type="checkbox" role="switch" id=${id} checked=${checked} disabled=${disabled}
        aria-describedby=${hint ? `${id}-hint` : undefined} onChange=${(event) => onChange(event.currentTarget.checked)}
      />
      <label for=${id}>${label}</label>
      ${hint && html`<p class="hint" id=${`${id}-hint`}>${hint}</p>`}
    </div>
  `;
};

export const Choice = ({ label, value, options, onChange, hidden = false, disabled }) => {
  const id = useId("choice");
  return html`
    <span class="choice">
      <label for=${id} class=${hidden ? "visually-hidden" : ""}>${label}</label>
      <select id=${id} value=${value} disabled=${disabled} onChange=${(event) => onChange(event.currentTarget.value)}>
        ${options.map(([key, text]) => html`<option key=${key} value=${key} selected=${key === value}>${text}</option>`)}
      </select>
    </span>
  `;
};

export const Tabs = ({ label, tabs, current }) => html`
  <nav class="tabs" aria-label=${label}>
    ${tabs.map(([address, text]) => html`<a key=${address} href=${address} aria-current=${address === current ? "page" : undefined}>${text}</a>`)}
  </nav>
`;

export const Badge = ({ tone = "plain", children }) => html`<span class=${`badge ${tone}`}>${children}</span>`;

const hue = (text) => [...text].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)) % 360, 7);

export const Avatar = ({ name, size = 28 }) => {
  const words = (name || "?").replace(/\(.*\)|[^\p{L}\p{N}\s?]/gu, "").trim().split(/\s+/);
  const initials = [words[0], words.length > 1 ? words.at(-1) : ""].map((word) => [...word][0] ?? "").join("");
  return html`
    <span class="avatar" style=${{ "--hue": hue(name || "?"), "--size": `${size}px` }} aria-hidden="true">${initials.toUpperCase()}</span>
  `;
};

const UNITS = [[60_000, "now"], [3_600_000, 60_000, "min"], [86_400_000, 3_600_000, "h"], [30 * 86_400_000, 86_400_000, "d"]];
const whole = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "short" });
const short = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const shorter = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric" });
const clockTime = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });

// How long something is ago or ahead, in the largest unit: "now", "12 min", "3 h", "9 d", "Mar 4".
const ago = (at, now = Date.now()) => {
  const distance = Math.abs(now - at);
  if (distance < UNITS[0][0]) return "now";
  for (const [under, unit, name] of UNITS.slice(1)) if (distance < under) return `${Math.floor(distance / unit)} ${name}`;
  return new Date(at).getFullYear() === new Date(now).getFullYear() ? shorter.format(at) : short.format(at);
};

export const date = (at) => short.format(at);
export const dateTime = (at) => whole.format(at);
export const time = (at) => clockTime.format(at);

// The minute, for what shows ages.
const minute = cell(Date.now());
setInterval(() => document.hidden || (minute.value = Date.now()), 30_000);

export const Time = ({ at, full = false }) => {
  const now = useCell(minute);
  return html`<time datetime=${new Date(at).toISOString()} title=${whole.format(at)}>${full ? whole.format(at) : ago(at, now)}</time>`;
};

export const useMinute = () => useCell(minute);

export const Empty = ({ icon = "check", title, children }) => html`
  <div class="empty">
    <span class="empty-icon"><${Icon} name=${icon} size=${28} /></span>
    <p class="empty-title">${title}</p>
    <div>${children}</div>
  </div>
`;

export const Problem = ({ problem, retry }) => html`
  <div class="problem" role="alert">
    <${Icon} name="warning" size=${20} />
    <div><p>${problem.message}</p>${problem.code && problem.code !== "unreachable" && html`<p class="hint">Code: ${problem.code}</p>`}</div>
    ${retry && html`<${Button} onClick=${retry}>Try again<//>`}
  </div>
`;

export const Loading = ({ lines = 6 }) => html`
  <div class="loading" role="status"><span class="visually-hidden">Loading</span>
    ${Array.from({ length: lines }, (_, index) => html`<span key=${index} class="ghost" style=${{ "--part": `${90 - ((index * 37) % 45)}%` }}></span>`)}
  </div>
`;

export const Dialog = ({ title, onClose, children, actions, wide = false, onSubmit }) => {
  const frame = useRef();
  const id = useId("dialog");
  useEffect(() => {
    const before = document.activeElement;
    const dialog = frame.current;
    dialog.showModal();
    (dialog.querySelector("[autofocus]") ?? dialog.querySelector("input, textarea, select"))?.focus();
    return () => {
      dialog.close(); // while it is open, nothing outside it can get the focus
      if (before?.isConnected) before.focus();
    };
  }, []);
  const submit = (event) => {
    event.preventDefault();
    onSubmit?.(event);
  };
  return html`
    <dialog ref=${frame} class=${wide ? "wide" : ""} aria-labelledby=${id} onCancel=${(event) => (event.preventDefault(), onClose())}
      onKeyDown=${(event) => event.stopPropagation()}
      onMouseDown=${(event) => event.target === frame.current && onClose()}>
      <form method="dialog" onSubmit=${submit}>
        <header><h2 id=${id}>${title}</h2><${Button} icon="close" kind="quiet" label="Close" onClick=${onClose} /></header>
        <div class="dialog-body">${children}</div>
        ${actions && html`<footer>${actions}</footer>`}
      </form>
    </dialog>
  `;
};

// What is written from a form: `write(run)` returns whether it worked; a problem stays until the next try. {busy, problem, write}
export const useWrite = () => {
  const [state, setState] = useState({ busy: false, problem: null });
  const write = async (run) => {
    setState({ busy: true, problem: null });
    try {
      await run();
    } catch (problem) {
      setState({ busy: false, problem });
      return false;
    }
    setState({ busy: false, problem: null });
    return true;
  };
  return { ...state, write };
};

// Asks before something that can't be undone. `run` returns a promise; the dialog stays open with its error if it fails.
export const Confirm = ({ title, children, action, danger = true, run, onClose }) => {
  const { busy, problem, write } = useWrite();
  const go = async () => (await write(run)) && onClose();
  return html`
    <${Dialog} title=${title} onClose=${onClose} onSubmit=${go} actions=${html`
      <${Button} onClick=${onClose}>Cancel<//><${Button} kind=${danger ? "danger" : "main"} type="submit" busy=${busy}>${action}<//>
    `}>
      ${children}${problem && html`<${Problem} problem=${problem} />`}
    <//>
  `;
};

export const Menu = ({ label, icon = "more", text, items, align = "end", class: look = "quiet" }) => {
  const [isOpen, setOpen] = useState(false);
  const frame = useRef();
  useEffect(() => {
    if (!isOpen) return undefined;
    const shut = (event) => frame.current.contains(event.target) || setOpen(false);
    frame.current.querySelector('[role="menuitem"]')?.focus();
    addEventListener("pointerdown", shut);
    return () => removeEventListener("pointerdown", shut);
  }, [isOpen]);
  const close = () => {
    setOpen(false);
    frame.current.querySelector("button").focus();
  };
  const move = (event) => {
    if (!isOpen) return;
    const all = [...frame.current.querySelectorAll('[role="menuitem"]')];
    const at = all.indexOf(document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (event.key === "Escape" || event.key === "Tab") close();
    else if (to !== undefined) all.at(to % all.length).focus();
    else if (event.key.length !== 1 && event.key !== "Enter") return;
    event.stopPropagation();
    if (event.key !== "Enter" && event.key !== " ") event.preventDefault();
  };
  return html`
    <div class="menu" ref=${frame} onKeyDown=${move}>
      <button type="button" class=${`button ${look} ${text ? "" : "alone"}`} aria-label=${text ? undefined : label} title=${label}
        aria-haspopup="menu" aria-expanded=${String(isOpen)} onClick=${() => setOpen(!isOpen)}>
        ${icon && html`<${Icon} name=${icon} />`}${text && html`<span>${text}</span>`}
      </button>
      ${isOpen && html`
        <div role="menu" aria-label=${label} class=${align}>
          ${items.filter(Boolean).map((item, index) => item === "-" ? html`<hr key=${index} />` : html`
            <button key=${item.text} type="button" role="menuitem" tabindex="-1" class=${item.danger ? "danger" : ""} disabled=${item.disabled}
              onClick=${() => (close(), item.run())}>
              ${item.icon && html`<${Icon} name=${item.icon} />`}<span>${item.text}</span>${item.hotkey && html`<kbd>${item.hotkey}</kbd>`}
            </button>
          `)}
        </div>
      `}
    </div>
  `;
};

// ---------------------------------------------------------------------------------------------- what is said at the bottom

const lines = cell([]);

export const say = (text, { undo = null, tone = "plain", ms = undo ? 5_000 : 4_000, done = null } = {}) => {
  const line = { text, undo, tone, key: (ids += 1) };
  const end = () => (lines.value = lines.value.filter((each) => each !== line));
  const timer = setTimeout(() => (end(), done?.()), ms);
  line.run = () => (clearTimeout(timer), end(), undo?.());
  lines.value = [...lines.value, line].slice(-3);
  return line;
};

// Runs something that can fail and says what went wrong. Returns its result, or undefined.
export const attempt = async (run, saying) => {
  try {
    const result = await run();
    if (saying) say(saying);
    return result === undefined ? true : result;
  } catch (problem) {
    say(problem.message, { tone: "bad", ms: 8_000 });
    return undefined;
  }
};

export const Lines = () => html`
  <div class="said" role="status" aria-live="polite">
    ${useCell(lines).map((line) => html`
      <div key=${line.key} class=${line.tone}><span>${line.text}</span>${line.undo && html`<button type="button" onClick=${line.run}>Undo</button>`}</div>
    `)}
  </div>
`;
