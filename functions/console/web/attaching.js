// What a message can have: so many characters, and files, which are uploaded one after the other.
import { repeated } from "./api.js";
import { attempt, say } from "./ui.js";

export const MOST_CHARACTERS = 4_000;
const MOST_FILES = 6;

const upload = async (file) => {
  const name = new URLSearchParams({ name: file.name.slice(0, 200) });
  const headers = { "content-type": file.type || "application/octet-stream", "idempotency-key": crypto.randomUUID() };
  return (await repeated("POST", `/uploads?${name}`, file, headers)).json();
};

// Uploads what a message with so many files has room for. `onStored` gets each file as messages name it.
export const attach = async (chosen, files, onStored) => {
  const room = MOST_FILES - files;
  if (chosen.length > room) say(`A message has at most ${MOST_FILES} files.`, { tone: "bad" });
  for (const file of [...chosen].slice(0, room)) {
    const stored = await attempt(() => upload(file));
    if (stored) onStored({ id: stored.id, name: stored.name });
  }
};
