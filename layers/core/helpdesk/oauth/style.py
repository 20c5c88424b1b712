"""The one style sheet of the pages: inline, known to the browser by its hash, in light and dark."""

import base64
import hashlib

STYLE = """
:root {
  color-scheme: light dark;
  --page: #f4f5f7; --card: #fff; --ink: #16191f; --soft: #555d6b; --line: #d9dde4; --field: #8a93a3;
  --accent: #0b57d0; --on-accent: #fff; --press: #0a4ab3; --wash: #eef3fd; --bad: #b3261e; --bad-wash: #fdf0ef;
  --warn: #7a4a00; --warn-wash: #fff6e5; --warn-line: #e8c98c;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #101317; --card: #191d23; --ink: #e8eaee; --soft: #a7afbd; --line: #323843; --field: #737d8e;
    --accent: #8ab4f8; --on-accent: #0d1b33; --press: #a8c7fa; --wash: #1d2738; --bad: #f59a92; --bad-wash: #33201f;
    --warn: #f0c27a; --warn-wash: #2d2517; --warn-line: #5a4826;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { background: var(--page); color: var(--ink); font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto,
  sans-serif;  margin: 0; min-height: 100vh; display: grid; grid-template-rows: 1fr auto; justify-items: center;
  padding: 1.5rem 1rem; }
main { align-self: center; background: var(--card); border: 1px solid var(--line); border-radius: 16px;
  box-shadow: 0 1px 2px rgb(0 0 0 / .05), 0 12px 32px rgb(0 0 0 / .06); max-width: 27rem; padding: 2rem; width: 100%; }
footer { color: var(--soft); font-size: .85rem; max-width: 27rem; padding: 1.25rem 0 0; text-align: center; }
.mark { align-items: center; background: var(--wash); border-radius: 12px; color: var(--accent); display: flex;
  height: 2.75rem; justify-content: center; margin-bottom: 1.25rem; width: 2.75rem; }
h1 { font-size: 1.5rem; letter-spacing: -.01em; line-height: 1.25; margin: 0 0 .5rem; overflow-wrap: anywhere; }
p { margin: .5rem 0; overflow-wrap: anywhere; }
.soft { color: var(--soft); }
.small { font-size: .9rem; }
form { margin-top: 1.25rem; }
label, legend { display: block; font-size: .92rem; font-weight: 600; margin-bottom: .4rem; padding: 0; }
input[type=email], input[type=text], select { background: var(--card); border: 1px solid var(--field);
  border-radius: 10px; color: var(--ink); font: inherit; min-height: 2.9rem; padding: .6rem .8rem; width: 100%; }
.code { font: 600 1.45rem/1.3 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace !important;
  letter-spacing: .22em;  text-align: center; text-transform: uppercase; }
[aria-invalid=true] { border-color: var(--bad) !important; }
.problem { background: var(--bad-wash); border-radius: 10px; color: var(--bad); font-size: .92rem; font-weight: 500;
  margin: 1rem 0 0; padding: .65rem .8rem; }
.warning { background: var(--warn-wash); border: 1px solid var(--warn-line); border-radius: 10px; color: var(--warn);
  font-size: .92rem; margin: 1rem 0 0; padding: .65rem .8rem; }
.warning strong { letter-spacing: .06em; white-space: nowrap; }
button { background: var(--accent); border: 1px solid var(--accent); border-radius: 10px; color: var(--on-accent);
  cursor: pointer; font: inherit; font-weight: 600; min-height: 2.9rem; padding: .6rem 1.1rem; width: 100%; }
button:hover { background: var(--press); border-color: var(--press); }
button.quiet { background: transparent; border-color: var(--field); color: var(--ink); }
button.quiet:hover { background: var(--wash); }
button.link { background: none; border: 0; color: var(--accent); font-weight: 500; min-height: 0; padding: .25rem 0;
  text-decoration: underline; text-underline-offset: .15em; width: auto; }
form > button:first-of-type { margin-top: 1.1rem; }
form.bare > button:first-of-type { margin-top: 0; }
form.bare { margin-top: 1.2rem; }
form + p { margin-top: 1rem; }
.pair { display: flex; gap: .75rem; margin-top: 1.4rem; }
a { color: var(--accent); text-underline-offset: .15em; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
fieldset { border: 0; margin: 0; padding: 0; }
.choice { align-items: flex-start; border: 1px solid var(--line); border-radius: 10px; display: flex; font-weight: 400;
  gap: .7rem; margin: 0 0 .5rem; padding: .65rem .8rem; cursor: pointer; }
.choice:has(:checked) { background: var(--wash); border-color: var(--accent); }
.choice input { accent-color: var(--accent); flex: none; height: 1.15rem; margin: .18rem 0 0; width: 1.15rem; }
.choice small { color: var(--soft); display: block; font-size: .85rem; }
dl { background: var(--page); border-radius: 10px; display: grid; font-size: .92rem; gap: .35rem 1rem;
  grid-template-columns: auto minmax(0, 1fr); margin: 1.1rem 0 0; padding: .8rem .9rem; }
dt { color: var(--soft); }
dd { font-weight: 500; margin: 0; overflow-wrap: anywhere; }
.after { border-top: 1px solid var(--line); margin-top: 1.4rem; padding-top: 1rem; }
@media (max-width: 26rem) { main { border-radius: 14px; padding: 1.4rem 1.2rem; } .pair { flex-direction: column; } }
"""

_DIGEST = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
STYLE_SOURCE = f"'sha256-{_DIGEST}'"
"""The style sheet as a content security policy names it."""
