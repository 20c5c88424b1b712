// The path in the address bar, without the console's own prefix: "/conversations/conv_1". Links to a path of the console
// change it without loading the page again.
import { cell } from "./store.js";

// What index.html says of the deployment: "base" is the address that the API's paths follow, "client" the OAuth client.
export const meta = (name) => document.querySelector(`meta[name="helpdesk-${name}"]`).content;
export const base = meta("base");
export const root = new URL(`${base}/console`, location.href).pathname;

const read = () => ({
  path: location.pathname.slice(root.length).replace(/\/+$/, "") || "/",
  query: new URLSearchParams(location.search),
});

export const place = cell(read());

// The address of a path, for links.
export const href = (path) => root + (path === "/" ? "/" : path);

// Opens a path. `replace` leaves no entry in the browser's history.
export const open = (path, { replace = false } = {}) => {
  const address = href(path);
  if (address !== location.pathname + location.search) {
    history[replace ? "replaceState" : "pushState"](null, "", address);
  }
  place.value = read();
};

// The pieces of a path: "/customers/cus_1" is ["customers", "cus_1"]. They stay encoded: they become
// pieces of the API's paths, and "..%2Fmembers" in a link must not lead elsewhere.
export const pieces = (path) => path.split("/").filter(Boolean);

// What is asked before something that was typed and isn't saved is left (unsaved.js).
export const unsaved = { question: null };

// Whether what was typed may be lost; asks the person if there is something to lose.
export const mayLeave = () => !unsaved.question || confirm(unsaved.question);

addEventListener("popstate", () => (place.value = read()));
addEventListener("beforeunload", (event) => unsaved.question && event.preventDefault());
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href]");
  const isPlain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
  if (!link || !isPlain || event.defaultPrevented || link.target || link.hasAttribute("download")) return;
  if (link.origin !== location.origin || !link.pathname.startsWith(`${root}/`)) return;
  event.preventDefault();
  if (!mayLeave()) return;
  unsaved.question = null;
  open(link.pathname.slice(root.length) + link.search);
});
