// Customers: everyone who wrote or was added, with a search, and the page of one of them (customer.js).
import { html, useRef, useState } from "./vendor/htm-preact.js";
import { post } from "./api.js";
import { csv } from "./csv.js";
import { CustomerForm, changesOf } from "./customer_form.js";
import { Customer, Erased } from "./customer.js";
import { useKeys } from "./keys.js";
import { More, sheet, usePages } from "./loading.js";
import { href, open, place } from "./router.js";
import { save } from "./save.js";
import { SearchForm } from "./search_form.js";
import { useCell } from "./store.js";
import { Avatar, Badge, Button, Empty, Time, attempt, say } from "./ui.js";

await sheet("customers.css");

const Row = ({ customer }) => {
  const who = customer.name ?? customer.email ?? "Visitor";
  const metadata = Object.entries(customer.metadata);
  return html`
    <li>
      <a class="row customer-row" href=${href(`/customers/${customer.id}`)}>
        <${Avatar} name=${who} size=${32} />
        <span class="grow"><b class="clip">${who}</b>${customer.email !== who && html`<small class="clip">
          ${customer.email ?? "No e-mail address"}</small>`}</span>
        <span class="customer-marks">
          ${metadata.slice(0, 2).map(([name, value]) => html`<${Badge} key=${name}>${name}: ${value}<//>`)}
          ${metadata.length > 2 && html`<small>and ${metadata.length - 2} more</small>`}
        </span>
        <small class="customer-since"><span class="visually-hidden">added </span><${Time} at=${customer.createdAt} /></small>
      </a>
    </li>
  `;
};

const Nothing = ({ words, onAdd }) => words
  ? html`<${Empty} icon="search" title="No customer matches"><p>The search looks for names and e-mail addresses that have all words of “${words}”.</p>
    <//>`
  : html`<${Empty} icon="customers" title="No customers yet">
      <p>Everyone who writes to you appears here. You can also add someone and write to them first.</p>
      <p><${Button} icon="plus" onClick=${onAdd}>Add a customer<//></p>
    <//>`;

const All = () => {
  const words = useCell(place).query.get("q") ?? "";
  const pages = usePages("/customers", "customers", { q: words });
  const [adds, setAdds] = useState(false);
  const [rows, setRows] = useState(null);
  const input = useRef();
  const add = async (form) => {
    const { id } = await post("/customers", changesOf(form));
    say("Customer added.");
    open(`/customers/${id}`);
  };
  const saveAsCsv = async () => {
    setRows(0);
    const file = await attempt(() => csv("/customers", { q: words, limit: words && 200 }, setRows));
    setRows(null);
    if (file) save(file, "customers.csv");
  };
  useKeys([
    { key: "/", text: "Search customers", run: () => input.current.focus() },
    { key: "n", text: "Add a customer", run: () => setAdds(true) },
  ]);
  return html`
    <div class="page-head">
      <h1>Customers</h1>
      <${SearchForm} label="Search customers" placeholder="Name or e-mail address" words=${words} input=${input}
        onSearch=${(text) => open(`/customers${text ? `?q=${encodeURIComponent(text)}` : ""}`, { replace: true })} />
      <div class="buttons">
        <${Button} busy=${rows !== null} onClick=${saveAsCsv}>
          ${rows ? `Downloading … ${rows.toLocaleString()}` : "Download CSV"}
        <//>
        <${Button} kind="main" icon="plus" hotkey="n" onClick=${() => setAdds(true)}>Add customer<//>
      </div>
    </div>
    ${pages.isDone && !pages.items.length
      ? html`<${Nothing} words=${words} onAdd=${() => setAdds(true)} />`
      : html`
        ${pages.items.length > 0 && html`<ul class="rows" aria-label="Customers">
          ${pages.items.map((each) => html`<${Row} key=${each.id} customer=${each} />`)}</ul>`}
        <${More} pages=${pages} />
      `}
    ${adds && html`<${CustomerForm} title="Add a customer" action="Add customer" onSave=${add} onClose=${() => setAdds(false)} />`}
  `;
};

export default function Customers({ path: [id] }) {
  const erasure = useCell(place).query.get("erasure");
  if (!id) return html`<main class="page"><div class="within"><${All} /></div></main>`;
  return html`<main class="page"><div class="within customer-page">
    <p class="crumb"><a href=${href("/customers")}>All customers</a></p>
    ${erasure ? html`<${Erased} key=${erasure} id=${erasure} />` : html`<${Customer} key=${id} id=${id} />`}
  </div></main>`;
}
