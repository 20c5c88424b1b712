// A list of the API as one CSV file.
import { repeated, search } from "./api.js";

// Returns a list as one CSV file, over all of its pages. `onRows` gets how many rows have come so far.
export const csv = async (path, query, onRows) => {
  const next = /<([^>]*)>; rel="next"/;
  const parts = ["\ufeff"]; // by which Excel knows UTF-8
  let rows = 0;
  for (let cursor; cursor !== null; ) {
    const answer = await repeated("GET", `${path}?${search({ ...query, cursor })}`, undefined, { accept: "text/csv" });
    const text = await answer.text();
    parts.push(cursor ? text.slice(text.indexOf("\r\n") + 2) : text);
    onRows((rows += text.split("\r\n").length - 2));
    const [, following] = next.exec(answer.headers.get("link")) ?? [];
    cursor = following ? new URL(following).searchParams.get("cursor") : null;
  }
  return new Blob(parts, { type: "text/csv" });
};
