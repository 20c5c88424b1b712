// Figures as SVG: a line over time, columns for hours and weekdays, bars for groups. Each has the same figures as a table,
// for screen readers and for copying.
import { html, useState } from "./vendor/htm-preact.js";
import { sheet } from "./loading.js";

await sheet("analytics.css");

const WIDTH = 480;
const HEIGHT = 160;
const LEFT = 44;
const BOTTOM = 24;
const SERIES = 6;

const whole = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });
const dayOf = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", timeZone: "UTC" });
const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

const span = (ms) => {
  const units = [[86_400_000, "d"], [3_600_000, "h"], [60_000, "min"], [1_000, "s"]];
  const [unit, name] = units.find(([size]) => ms >= size) ?? units.at(-1);
  return `${whole.format(ms / unit)} ${name}`;
};

// A figure with its unit: "12", "3.4 h", "82 %". "–" where there is none.
export const figure = (value, unit) => {
  if (value === null || value === undefined) return "–";
  return unit === "milliseconds" ? span(value) : unit === "percent" ? `${whole.format(value)} %` : whole.format(value);
};

const isCyclic = (bucket) => bucket === "hour" || bucket === "weekday";

const named = (at, bucket) => {
  if (bucket === "hour") return `${String(at).padStart(2, "0")}:00`;
  return bucket === "weekday" ? WEEKDAYS[at] : dayOf.format(at);
};

const ceiling = (largest, unit) => {
  const step = unit === "milliseconds" ? 60_000 : 1;
  const scaled = Math.max(largest, step) / step;
  const power = 10 ** Math.floor(Math.log10(scaled));
  return [1, 2, 4, 5, 10].map((each) => each * power).find((each) => each >= scaled) * step;
};

const Table = ({ series, bucket, unit }) => html`
  <details class="figures">
    <summary>Figures</summary>
    <div class="scroll" tabindex="0"><table>
      <thead><tr><th>${isCyclic(bucket) ? "" : "From"}</th>${series.map((each) => html`<th class="number" key=${each.key}>${each.label}</th>`)}</tr></thead>
      <tbody>
        ${series[0].points.map((point, index) => html`<tr key=${point.at}><td>${named(point.at, bucket)}</td>
          ${series.map((each) => html`<td class="number" key=${each.key}>${figure(each.points[index]?.value, unit)}</td>`)}</tr>`)}
      </tbody>
    </table></div>
  </details>
`;

const Axis = ({ top, unit, points, bucket, x }) => {
  const every = Math.ceil(points.length / 6);
  return html`
    ${[0, 0.5, 1].map((part) => html`
      <g key=${part}><line x1=${LEFT} x2=${WIDTH} y1=${HEIGHT * (1 - part) + 8} y2=${HEIGHT * (1 - part) + 8} class="grid" />
        <text x=${LEFT - 6} y=${HEIGHT * (1 - part) + 12} class="left">${figure(top * part, unit)}</text></g>
    `)}
    ${points.map((point, index) => index % every === 0 && html`<text key=${point.at} x=${x(index)} y=${HEIGHT + BOTTOM} class="under">${named(point.at, bucket)}</text>`)}
  `;
};

const path = (points, x, y) => {
  let isOpen = false;
  return points.map((point, index) => {
    if (point.value === null) return (isOpen = false), "";
    const command = isOpen ? "L" : "M";
    isOpen = true;
    return `${command}${x(index).toFixed(1)} ${y(point.value).toFixed(1)}`;
  }).join("");
};

// A point without neighbors has no line.
const isAlone = (points, index) => (points[index - 1]?.value ?? null) === null && (points[index + 1]?.value ?? null) === null;

const InTime = ({ title, result, bucket }) => {
  const [at, setAt] = useState(null);
  const { series, unit } = result;
  const previous = result.previous ?? [];
  const { points } = series[0];
  const all = [...series, ...previous].flatMap((each) => each.points.map((point) => point.value ?? 0));
  const top = ceiling(Math.max(...all, 0), unit);
  const slot = (WIDTH - LEFT) / points.length;
  const x = (index) => LEFT + slot * (index + 0.5);
  const y = (value) => HEIGHT * (1 - value / top) + 8;
  const isBars = isCyclic(bucket) || points.length < 3;
  const shown = at === null ? null : points[at];
  return html`
    <p class="read-out" aria-hidden="true">
      ${shown ? html`<b>${named(shown.at, bucket)}</b> ${series.map((each) => html`<span key=${each.key}>${series.length > 1 && `${each.label} `}${figure(each.points[at]?.value, unit)}</span>`)}
        ${shown.partial && html`<span class="hint">so far</span>`}` : html`<span class="hint">Point at the chart for its figures.</span>`}
    </p>
    <svg viewBox=${`0 0 ${WIDTH} ${HEIGHT + BOTTOM + 6}`} role="img" aria-label=${`${title}. The figures are in the table below.`} onMouseLeave=${() => setAt(null)}>
      <${Axis} top=${top} unit=${unit} points=${points} bucket=${bucket} x=${x} />
      ${!isBars && previous.map((each) => html`<path key=${each.key} d=${path(each.points, x, y)} class="line before" />`)}
      ${series.slice(0, SERIES).map((each, number) => isBars
        ? each.points.map((point, index) => html`<rect key=${`${each.key} ${point.at}`} class=${`bar s${number}`} x=${x(index) - slot * 0.4 + (slot * 0.8 * number) / Math.min(series.length, SERIES)}
            y=${y(point.value ?? 0)} width=${(slot * 0.8) / Math.min(series.length, SERIES)} height=${HEIGHT + 8 - y(point.value ?? 0)} />`)
        : html`<path key=${each.key} d=${path(each.points, x, y)} class=${`line s${number}`} />`)}
      ${!isBars && series.slice(0, SERIES).map((each, number) => each.points.map((point, index) => point.value !== null && (at === index || isAlone(each.points, index)) &&
        html`<circle key=${each.key} cx=${x(index)} cy=${y(point.value)} r="4" class=${`dot s${number}`} />`))}
      ${points.map((point, index) => html`<rect key=${point.at} class="catch" x=${x(index) - slot / 2} y="0" width=${slot} height=${HEIGHT + BOTTOM} onMouseEnter=${() => setAt(index)} />`)}
    </svg>
    ${series.length > 1 && html`<ul class="legend">${series.slice(0, SERIES).map((each, number) => html`<li key=${each.key}><i class=${`s${number}`}></i>${each.label}</li>`)}</ul>`}
    <${Table} series=${series} bucket=${bucket} unit=${unit} />
  `;
};

const Groups = ({ result }) => {
  const top = Math.max(...result.series.map((each) => each.total ?? 0), 1);
  return html`
    <ol class="bars">
      ${result.series.map((each) => html`
        <li key=${each.key}><span class="clip" title=${each.label}>${each.label}</span><b>${figure(each.total, result.unit)}</b>
          <i style=${{ "--part": `${(100 * (each.total ?? 0)) / top}%` }}></i></li>
      `)}
    </ol>
  `;
};

// One measured query: `query` as it was asked, `result` as POST /analytics/explore returns it.
export const Chart = ({ title, query, result }) => {
  const isEmpty = !result.series.length || result.matched === 0;
  if (isEmpty) return html`<p class="nothing">Nothing in this time.</p>`;
  const isSingle = result.series.length === 1 && !result.series[0].points?.length;
  return html`
    <div class="chart">
      ${isSingle ? html`<p class="single">${figure(result.series[0].total, result.unit)}</p>`
        : query.bucket ? html`<${InTime} title=${title} result=${result} bucket=${query.bucket} />` : html`<${Groups} result=${result} />`}
      ${result.capped && html`<p class="hint">Only the newest 20,000 rows are counted. Choose fewer days for exact figures.</p>`}
    </div>
  `;
};
