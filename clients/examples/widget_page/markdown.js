// Shows the part of Markdown that the agent writes. It builds DOM nodes and never parses HTML: everything that it does
// not know stays text, so nothing in a message can run. Links lead to http, https and mailto addresses only.

const INLINE = /\\([\\`*_[\]()#])|`([^`\n]+)`|\*\*(\S(?:[^*]*\S)?)\*\*|\*(\S(?:[^*\n]*\S)?)\*|!?\[([^[\]\n]*)\]\(([^\s()]+)\)/g;
const PROTOCOLS = new Set(["https:", "http:", "mailto:"]);

/** Return Markdown as a fragment of a document. */
export function rendered(source) {
  const fragment = document.createDocumentFragment();
  const lines = source.split("\n");
  while (lines.length > 0) {
    const line = lines[0];
    if (line.startsWith("```")) {
      lines.shift();
      fragment.append(element("pre", element("code", take(lines, (text) => !text.startsWith("```")).join("\n"))));
      lines.shift();
    } else if (/^\|/.test(line)) {
      fragment.append(element("pre", take(lines, (text) => text.startsWith("|")).join("\n")));
    } else if (item(line)) {
      const list = document.createElement(/^\s*\d/.test(line) ? "ol" : "ul");
      for (const text of take(lines, item)) list.append(element("li", ...inline(item(text)[1])));
      fragment.append(list);
    } else if (/^#{1,6} /.test(line)) {
      fragment.append(element("p", element("strong", ...inline(lines.shift().replace(/^#+ /, "")))));
    } else if (line.trim() === "") {
      lines.shift();
    } else {
      const first = lines.shift();
      const more = take(lines, (text) => text.trim() !== "" && !item(text) && !/^(```|\||#{1,6} )/.test(text));
      fragment.append(element("p", ...inline([first, ...more].join("\n"))));
    }
  }
  return fragment;
}

const item = (line) => line.match(/^\s*(?:[-*+]|\d{1,9}[.)])\s+(.*)$/);

/** Remove the lines at the beginning that belong together, and return them. */
function take(lines, belongs) {
  const end = lines.findIndex((line) => !belongs(line));
  return lines.splice(0, end === -1 ? lines.length : end);
}

function element(name, ...children) {
  const node = document.createElement(name);
  node.append(...children); // strings become text nodes
  return node;
}

function inline(text) {
  const nodes = [];
  let end = 0;
  for (const found of text.matchAll(INLINE)) {
    const [whole, escaped, code, strong, emphasis, label, address] = found;
    nodes.push(text.slice(end, found.index));
    end = found.index + whole.length;
    if (escaped) nodes.push(escaped);
    else if (code) nodes.push(element("code", code));
    else if (strong) nodes.push(element("strong", ...inline(strong)));
    else if (emphasis) nodes.push(element("em", ...inline(emphasis)));
    else nodes.push(link(label || address, address));
  }
  return [...nodes, text.slice(end)];
}

/** Return a link to an address, or only its text if a browser would do something other than follow it. */
export function link(text, address) {
  if (!URL.canParse(address) || !PROTOCOLS.has(new URL(address).protocol)) return text;
  const node = element("a", text);
  Object.assign(node, { href: address, target: "_blank", rel: "noopener noreferrer" });
  return node;
}
