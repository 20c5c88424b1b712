// The clipboard.
import { href } from "./router.js";
import { say } from "./ui.js";

export const copy = async (text) => {
  try {
    await navigator.clipboard.writeText(text);
    say("Copied.");
  } catch {
    say("Your browser doesn't let the page copy. Select the text and copy it yourself.", { tone: "bad" });
  }
};

// The item of a menu that copies the link to a path of the console.
export const copyLink = (path) => ({ text: "Copy link", icon: "link", run: () => copy(location.origin + href(path)) });
