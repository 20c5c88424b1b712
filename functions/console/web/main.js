// Starts the console: signs the person in, then shows the frame with the screen of the path.
import { html, render } from "./vendor/htm-preact.js";
import * as api from "./api.js";
import { open, root } from "./router.js";
import * as session from "./session.js";
import { Shell } from "./shell.js";
import { Button, Problem } from "./ui.js";

const app = document.getElementById("app");

const failed = (problem) => {
  const again = () => location.assign(`${root}/`);
  render(html`<main class="outside"><h1>Helpdesk</h1><${Problem} problem=${problem} retry=${again} /></main>`, app);
};

const start = async () => {
  if (location.pathname === `${root}/callback`) {
    const back = await (await import("./returned.js")).returned();
    if (!back?.signedIn) {
      open("/", { replace: true });
      return failed(new Error(back?.refused ?? "This sign-in link was used before or is too old. Sign in again."));
    }
    api.use(back.signedIn);
    history.replaceState(null, "", back.at);
    open(location.pathname.slice(root.length) + location.search, { replace: true });
  }
  const { organization } = await session.begin();
  app.replaceChildren();
  if (!organization) return render(html`<${NoOrganization} />`, app);
  session.loadMembers().catch(() => {});
  session.loadTeams().catch(() => {});
  return render(html`<${Shell} />`, app);
};

const NoOrganization = () => html`
  <main class="outside">
    <h1>You're not in an organization</h1>
    <p>Ask a teammate for an invitation, and open the link in its mail.</p>
    <${Button} onClick=${() => location.reload()}>Reload<//>
  </main>
`;

start().catch(failed);
