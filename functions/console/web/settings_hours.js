// Office hours, and the times in which customers should get an answer. Only open hours count.
import { html } from "./vendor/htm-preact.js";
import { get, patch } from "./api.js";
import { useLoaded } from "./loading.js";
import { Form, Group, Head, Ready, numeric, useForm } from "./settings_parts.js";
import { Button, Field, date } from "./ui.js";

const DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const MONDAY = Date.UTC(2024, 0, 1);
const weekday = new Intl.DateTimeFormat(undefined, { weekday: "long", timeZone: "UTC" });
const dayName = (index) => weekday.format(MONDAY + index * 86_400_000);

const Zones = () => html`<datalist id="time-zones">${Intl.supportedValuesOf("timeZone").map((zone) => html`<option key=${zone} value=${zone} />`)}</datalist>`;

// A field of a time can't hold "24:00", the end of a day.
const shownEnd = (end) => (end === "24:00" ? "00:00" : end);
const typedEnd = (end) => (end === "00:00" ? "24:00" : end);

const Day = ({ name, ranges, onChange }) => {
  const change = (at, more) => onChange(ranges.map((each, index) => (index === at ? { ...each, ...more } : each)));
  return html`
    <li class="office-day">
      <b>${name}</b>
      <div class="stack">
        ${ranges.length === 0 && html`<span class="hint">Closed</span>`}
        ${ranges.map((range, at) => html`
          <div key=${at} class="buttons">
            <input type="time" aria-label=${`${name} from`} value=${range.from} onInput=${(event) => change(at, { from: event.currentTarget.value })} /> –
            <input type="time" aria-label=${`${name} to`} value=${shownEnd(range.to)}
              onInput=${(event) => change(at, { to: typedEnd(event.currentTarget.value) })} />
            <${Button} icon="close" kind="quiet" label=${`Remove ${range.from} to ${range.to}, ${name}`}
              onClick=${() => onChange(ranges.filter((_, index) => index !== at))} />
            ${range.from === "00:00" && range.to === "24:00" && html`<span class="hint all-day">All day</span>`}
          </div>
        `)}
      </div>
      <${Button} icon="plus" kind="quiet" label=${`Add hours on ${name}`} onClick=${() => onChange([...ranges, { from: ranges.length ? "13:00" : "09:00", to: "17:00" }])} />
    </li>
  `;
};

const Closed = ({ form }) => {
  const days = form.values.closed ?? [];
  const add = (event) => {
    const day = event.currentTarget.value;
    if (day && !days.includes(day)) form.set("closed", [...days, day].sort());
    event.currentTarget.value = "";
  };
  return html`
    <${Group} title="Days off" hint="Holidays, for example. The whole day is closed.">
      <ul class="buttons" aria-label="Days off">${days.map((day) => html`
        <li key=${day} class="chip">${date(new Date(`${day}T12:00`).getTime())}
          <${Button} icon="close" kind="quiet" label=${`Remove ${day}`} onClick=${() => form.set("closed", days.filter((each) => each !== day))} /></li>
      `)}</ul>
      <div class="inline-form narrow"><${Field} label="Add a day"><input type="date" onChange=${add} /><//></div>
    <//>
  `;
};

const Hours = ({ saved, set }) => {
  const form = useForm(saved, async (changes) => set(await patch("/organization/hours", changes)));
  const days = form.values.days ?? {};
  return html`
    <${Form} form=${form} label="Office hours">
      <${Group} title="Office hours" hint="When your team answers. Until you set them, every hour counts.">
        <${Field} label="Time zone" error=${form.error("timeZone")}><input ...${form.text("timeZone")} list="time-zones" autocomplete="off" /><//>
        <${Zones} />
        <ul class="rows narrow" aria-label="Days">
          ${DAYS.map((day, index) => html`
            <${Day} key=${day} name=${dayName(index)} ranges=${days[day] ?? []} onChange=${(ranges) => form.set("days", { ...days, [day]: ranges })} />
          `)}
        </ul>
        ${form.error("days") && html`<p class="error">${form.error("days")}</p>`}
      <//>
      <${Closed} form=${form} />
    <//>
  `;
};

const TARGETS = [["firstResponseMinutes", "First answer within"], ["nextResponseMinutes", "Every later answer within"]];

const Targets = ({ saved, set }) => {
  const names = TARGETS.filter(([name]) => name in saved);
  const form = useForm(saved, async (changes) => {
    const numbers = Object.fromEntries(Object.entries(changes).map(([name, value]) => [name, numeric(value)]));
    set(await patch("/organization/targets", numbers));
  }, names.map(([name]) => name));
  return html`
    <${Form} form=${form} label="Targets">
      <${Group} title="Targets" hint="In minutes of your office hours. The inbox shows what is due, and what is late.">
        ${names.map(([name, label]) => html`
          <${Field} key=${name} label=${label} error=${form.error(name)}><input ...${form.text(name)} inputmode="numeric" placeholder="No target" /><//>
        `)}
      <//>
    <//>
  `;
};

export default function HoursAndTargets() {
  const hours = useLoaded(() => get("/organization/hours"));
  const targets = useLoaded(() => get("/organization/targets"));
  return html`
    <${Head} title="Hours and targets" />
    <${Ready} loaded=${hours}>${(saved) => html`
      <div class="stack large">
        <${Hours} saved=${saved} set=${hours.set} />
        <${Ready} loaded=${targets} lines=${2}>${(wanted) => html`<${Targets} saved=${wanted} set=${targets.set} />`}<//>
      </div>
    `}<//>
  `;
}
