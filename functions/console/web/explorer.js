// The explorer: a question about any dataset, its figures, and the rows behind them.
import { html, useEffect, useState } from "./vendor/htm-preact.js";
import { get, post } from "./api.js";
import { Chart, figure } from "./charts.js";
import { Shown, useLoaded } from "./loading.js";
import { href, open, place } from "./router.js";
import { useCell } from "./store.js";
import { Button, Choice, Field, Time } from "./ui.js";

const MEASURES = [["count", "Number of rows"], ["distinct", "Different values of"], ["sum", "Sum of"], ["avg", "Average of"], ["median", "Median of"], ["p90", "90th percentile of"], ["p99", "99th percentile of"], ["min", "Smallest"], ["max", "Largest"]];
const MEASURED = { distinct: ["id", "string", "enum"], default: ["number", "duration"] };
const BUCKETS = [["", "No, in total"], ["day", "By day"], ["week", "By week"], ["month", "By month"], ["hour", "By hour of the day"], ["weekday", "By weekday"]];
const DAYS = [["1", "Today"], ["7", "7 days"], ["30", "30 days"], ["90", "90 days"], ["365", "A year"]];
const OPERATORS = [["is", "is"], ["isNot", "is not"], ["contains", "contains"], ["gt", "is over"], ["lt", "is under"], ["isSet", "is set"], ["isNotSet", "is not set"]];
const VALUELESS = new Set(["isSet", "isNotSet"]);
const PAGES = { conversations: "conversations", messages: "conversations", signals: "signals", tasks: "tasks", customers: "customers", knowledgeDocs: "knowledge" };

const begun = { dataset: "conversations", op: "count", field: "", groupBy: "", bucket: "day", days: "30", filters: [] };

const read = (query) => {
  try {
    return { ...begun, ...JSON.parse(query.get("q") ?? "{}") };
  } catch {
    return begun;
  }
};

const value = (field, text) => {
  if (field?.type === "boolean") return text === "true";
  if (field?.type === "number") return Number(text);
  if (field?.type === "duration") return Number(text) * 60_000;
  return field?.type === "time" ? new Date(text).getTime() : text;
};

const request = (asked, dataset) => ({
  days: Number(asked.days),
  query: {
    dataset: asked.dataset,
    measure: asked.op === "count" ? { op: "count" } : { op: asked.op, field: asked.field },
    ...(asked.groupBy && { groupBy: asked.groupBy }),
    ...(asked.bucket && { bucket: asked.bucket }),
    filters: asked.filters
      .filter((each) => each.field && (VALUELESS.has(each.op) || each.value !== ""))
      .map((each) => {
        const field = dataset.fields.find((one) => one.id === each.field);
        return VALUELESS.has(each.op) ? { field: each.field, op: each.op } : { field: each.field, op: each.op, value: value(field, each.value) };
      }),
  },
});

const Filter = ({ filter, dataset, onChange, onRemove }) => {
  const field = dataset.fields.find((each) => each.id === filter.field);
  const values = field?.type === "boolean" ? ["true", "false"] : field?.values;
  const hint = field?.type === "duration" ? "minutes" : "";
  return html`
    <div class="filter">
      <${Choice} label="Only rows where" value=${filter.field} options=${[["", "Choose a field"], ...dataset.fields.map((each) => [each.id, each.label])]}
        onChange=${(id) => onChange({ field: id, op: "is", value: "" })} />
      <${Choice} label="Comparison" value=${filter.op} options=${OPERATORS} onChange=${(op) => onChange({ ...filter, op })} />
      ${!VALUELESS.has(filter.op) && (values
        ? html`<${Choice} label="Value" value=${filter.value} options=${[["", "Choose"], ...values.map((each) => [each, each])]} onChange=${(chosen) => onChange({ ...filter, value: chosen })} />`
        : html`<${Field} label=${`Value ${hint && `(${hint})`}`}><input type=${field?.type === "time" ? "date" : ["number", "duration"].includes(field?.type) ? "number" : "text"}
            value=${filter.value} onChange=${(event) => onChange({ ...filter, value: event.currentTarget.value })} /><//>`)}
      <${Button} icon="close" kind="quiet" label="Remove this condition" onClick=${onRemove} />
    </div>
  `;
};

const shown = (cell, field) => {
  if (cell === null || cell === undefined) return "–";
  if (field?.type === "time") return html`<${Time} at=${cell} />`;
  return field?.type === "duration" ? figure(cell, "milliseconds") : String(cell);
};

const Rows = ({ asked, dataset }) => {
  const fields = dataset.fields.filter((each) => each.type !== "id").slice(0, 6).map((each) => each.id);
  const loaded = useLoaded(() => post("/analytics/records", { ...request(asked, dataset), fields, limit: 50 }), [JSON.stringify(asked)]);
  const screen = PAGES[asked.dataset];
  return html`
    <${Shown} loaded=${loaded}>${({ rows, matched }) => html`
      <p class="hint">${rows.length < matched ? `The newest ${rows.length} of ${matched.toLocaleString()}` : `${matched.toLocaleString()} rows`}</p>
      <div class="scroll" tabindex="0"><table>
        <thead><tr><th>What</th>${fields.map((id) => html`<th key=${id}>${dataset.fields.find((each) => each.id === id).label}</th>`)}</tr></thead>
        <tbody>${rows.map((row) => html`
          <tr key=${row.id}><td>${screen ? html`<a href=${href(`/${screen}/${row.id}`)}>${row.title || row.id}</a>` : row.title || row.id}</td>
            ${row.values.map((each, index) => html`<td key=${fields[index]}>${shown(each, dataset.fields.find((one) => one.id === fields[index]))}</td>`)}</tr>
        `)}</tbody>
      </table></div>
    `}<//>
  `;
};

const Asked = ({ datasets }) => {
  const asked = read(useCell(place).query);
  const [showsRows, setShowsRows] = useState(false);
  const dataset = datasets.find((each) => each.id === asked.dataset) ?? datasets[0];
  const ask = (next) => open(`/analytics/explore?q=${encodeURIComponent(JSON.stringify({ ...asked, ...next }))}`, { replace: true });
  const measurable = dataset.fields.filter((each) => (MEASURED[asked.op] ?? MEASURED.default).includes(each.type));
  const needsField = asked.op !== "count";
  const isReady = !needsField || measurable.some((each) => each.id === asked.field);
  const loaded = useLoaded(async () => (isReady ? post("/analytics/explore", request(asked, dataset)) : null), [JSON.stringify(asked), isReady]);
  useEffect(() => {
    if (needsField && !isReady && measurable.length) ask({ field: measurable[0].id });
  });
  const filter = (index, next) => ask({ filters: asked.filters.map((each, number) => (number === index ? next : each)) });
  const title = `${MEASURES.find(([op]) => op === asked.op)?.[1] ?? ""} ${dataset.label}`;
  return html`
    <div class="stack">
      <div class="asked">
        <${Choice} label="Dataset" value=${asked.dataset} options=${datasets.map((each) => [each.id, each.label])} onChange=${(id) => ask({ ...begun, dataset: id, days: asked.days })} />
        <${Choice} label="Measure" value=${asked.op} options=${MEASURES} onChange=${(op) => ask({ op, field: "" })} />
        ${needsField && html`<${Choice} label="Of" value=${asked.field} options=${measurable.map((each) => [each.id, each.label])} onChange=${(field) => ask({ field })} />`}
        <${Choice} label="Split by" value=${asked.groupBy} options=${[["", "Nothing"], ...dataset.fields.map((each) => [each.id, each.label])]} onChange=${(groupBy) => ask({ groupBy })} />
        <${Choice} label="Over time" value=${asked.bucket} options=${BUCKETS} onChange=${(bucket) => ask({ bucket })} />
        <${Choice} label="The last" value=${asked.days} options=${DAYS} onChange=${(days) => ask({ days })} />
      </div>
      <div class="asked">
        ${asked.filters.map((each, index) => html`<${Filter} key=${index} filter=${each} dataset=${dataset} onChange=${(next) => filter(index, next)}
          onRemove=${() => ask({ filters: asked.filters.filter((_, number) => number !== index) })} />`)}
        <${Button} icon="plus" onClick=${() => ask({ filters: [...asked.filters, { field: "", op: "is", value: "" }] })}>Add a condition<//>
      </div>
      <article class="card report">
        <${Shown} loaded=${loaded} lines=${5}>${(result) => html`<${Chart} title=${title} query=${{ bucket: asked.bucket, groupBy: asked.groupBy }} result=${result} />`}<//>
      </article>
      <div><${Button} aria-expanded=${String(showsRows)} onClick=${() => setShowsRows(!showsRows)}>${showsRows ? "Hide the rows" : "Show the rows behind it"}<//></div>
      ${showsRows && html`<${Rows} asked=${asked} dataset=${dataset} />`}
    </div>
  `;
};

export const Explorer = () => {
  const loaded = useLoaded(() => get("/analytics/datasets"));
  return html`
    <div class="page-head"><h1>Explore</h1></div>
    <p class="lead">Ask a question of any dataset. The address of this page keeps your question, so you can share it.</p>
    <${Shown} loaded=${loaded}>${({ datasets }) => html`<${Asked} datasets=${datasets} />`}<//>
  `;
};
