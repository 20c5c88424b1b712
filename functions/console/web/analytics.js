// Analytics: six reports, and an explorer for every other question.
import { html, useState } from "./vendor/htm-preact.js";
import { get, post } from "./api.js";
import { Chart, figure } from "./charts.js";
import { Explorer } from "./explorer.js";
import { Shown, useLoaded } from "./loading.js";
import { href, pieces, place } from "./router.js";
import { useCell } from "./store.js";
import { Choice, Loading, Problem, Tabs } from "./ui.js";

const DAYS = [["7", "7 days"], ["30", "30 days"], ["90", "90 days"], ["365", "A year"]];

const change = (result) => {
  const [now, before] = [result.series[0]?.total, result.previous?.[0]?.total];
  if (!before || now === null || now === undefined) return null;
  const percent = Math.round((100 * (now - before)) / before);
  return html`<small>${percent > 0 ? "+" : ""}${percent} % to the time before</small>`;
};

const Report = ({ report, days }) => {
  const asked = report.queries.map((each) => ({ ...each, days: Number(days) }));
  const loaded = useLoaded(() => Promise.all(asked.map((each) => post("/analytics/explore", each))), [report.name, days]);
  return html`
    <article class="card report">
      <h2>${report.title}</h2>
      <${Shown} loaded=${loaded} lines=${5}>${(results) => {
        const [first] = results;
        const { query } = asked[0];
        const names = ["Median", "90th percentile"];
        const series = results.length > 1 ? results.map((each, index) => ({ ...each.series[0], key: String(index), label: names[index] ?? `${index + 1}` })) : first.series;
        return html`
          ${!query.groupBy && first.matched > 0 && html`<p class="total">${figure(first.series[0]?.total, first.unit)}${change(first)}</p>`}
          <${Chart} title=${report.title} query=${query} result=${{ ...first, series }} />
        `;
      }}<//>
    </article>
  `;
};

const Reports = () => {
  const [days, setDays] = useState("30");
  const loaded = useLoaded(() => get("/analytics/reports"));
  return html`
    <div class="page-head"><h1>Analytics</h1><${Choice} label="The last" value=${days} options=${DAYS} onChange=${setDays} /></div>
    ${loaded.problem && html`<${Problem} problem=${loaded.problem} retry=${loaded.reload} />`}
    ${loaded.data ? html`<div class="reports">${loaded.data.reports.map((each) => html`<${Report} key=${each.name} report=${each} days=${days} />`)}</div>` : !loaded.problem && html`<${Loading} />`}
  `;
};

export default function Analytics() {
  const section = pieces(useCell(place).path)[1];
  const tabs = [[href("/analytics"), "Reports"], [href("/analytics/explore"), "Explore"]];
  return html`<main class="page"><div class="within">
    <${Tabs} label="Analytics" tabs=${tabs} current=${section === "explore" ? tabs[1][0] : tabs[0][0]} /><br />
    ${section === "explore" ? html`<${Explorer} />` : html`<${Reports} />`}
  </div></main>`;
}
