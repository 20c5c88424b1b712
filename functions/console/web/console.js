import { html, render } from "./vendor/htm-preact.js";

render(html`<h1>Helpdesk</h1>`, document.getElementById("console"));
