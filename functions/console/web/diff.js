// What differs between two texts, line by line, and whether two changes of one text fit together.
const MOST_STEPS = 2_000;

// The lines that turn `one` into `other`, as hunks [from, to, otherFrom, otherTo] (Myers' greedy search).
const middle = (one, other) => {
  const rounds = [];
  const ends = new Map([[1, 0]]);
  const most = Math.min(one.length + other.length, MOST_STEPS);
  for (let steps = 0; steps <= most; steps += 1) {
    rounds.push(new Map(ends));
    for (let line = -steps; line <= steps; line += 2) {
      const isDown = line === -steps || (line !== steps && ends.get(line - 1) < ends.get(line + 1));
      let x = isDown ? ends.get(line + 1) : ends.get(line - 1) + 1;
      while (x < one.length && x - line < other.length && one[x] === other[x - line]) x += 1;
      ends.set(line, x);
      if (x >= one.length && x - line >= other.length) return traced(rounds, one.length, other.length);
    }
  }
  return [[0, one.length, 0, other.length]];
};

const traced = (rounds, oneEnd, otherEnd) => {
  const hunks = [];
  let [x, y] = [oneEnd, otherEnd];
  for (let steps = rounds.length - 1; steps > 0; steps -= 1) {
    const ends = rounds[steps];
    const line = x - y;
    const isDown = line === -steps || (line !== steps && ends.get(line - 1) < ends.get(line + 1));
    const before = isDown ? line + 1 : line - 1;
    const [fromX, fromY] = [ends.get(before), ends.get(before) - before];
    const hunk = isDown ? [fromX, fromX, fromY, fromY + 1] : [fromX, fromX + 1, fromY, fromY];
    const last = hunks[0];
    if (last && last[0] === hunk[1] && last[2] === hunk[3]) hunks[0] = [hunk[0], last[1], hunk[2], last[3]];
    else hunks.unshift(hunk);
    [x, y] = [fromX, fromY];
  }
  return hunks;
};

export const hunksOf = (one, other) => {
  let head = 0;
  while (head < one.length && head < other.length && one[head] === other[head]) head += 1;
  let tail = 0;
  while (tail < one.length - head && tail < other.length - head && one.at(-1 - tail) === other.at(-1 - tail)) tail += 1;
  const found = middle(one.slice(head, one.length - tail), other.slice(head, other.length - tail));
  return found.filter(([a, b, c, d]) => a < b || c < d).map((hunk) => hunk.map((each) => each + head));
};

// The lines of a comparison: [" " | "-" | "+" | "…", text], with `around` unchanged lines about each change.
export const compared = (before, after, around = 2) => {
  const [one, other] = [before.split("\n"), after.split("\n")];
  const lines = [];
  let at = 0;
  const keep = (end, isLast) => {
    const same = one.slice(at, end);
    const few = at === 0 ? same.slice(-around) : isLast ? same.slice(0, around) : same;
    if (few.length < same.length || same.length > 2 * around + 1) {
      if (at > 0) lines.push(...same.slice(0, around).map((text) => [" ", text]));
      lines.push(["…", ""]);
      if (!isLast) lines.push(...same.slice(-around).map((text) => [" ", text]));
    } else lines.push(...same.map((text) => [" ", text]));
  };
  for (const [from, to, otherFrom, otherTo] of hunksOf(one, other)) {
    keep(from, false);
    lines.push(...one.slice(from, to).map((text) => ["-", text]), ...other.slice(otherFrom, otherTo).map((text) => ["+", text]));
    at = to;
  }
  if (at < one.length) keep(one.length, true);
  return lines;
};

// Both changes of `base` in one text, or null where they change the same lines.
export const joined = (base, mine, theirs) => {
  const [lines, one, other] = [base, mine, theirs].map((each) => each.split("\n"));
  const all = [
    ...hunksOf(lines, one).map(([from, to, a, b]) => ({ from, to, text: one.slice(a, b) })),
    ...hunksOf(lines, other).map(([from, to, a, b]) => ({ from, to, text: other.slice(a, b) })),
  ].sort((first, second) => first.from - second.from || first.to - second.to);
  const result = [];
  let at = 0;
  let last = null;
  for (const hunk of all) {
    const isSame = last && last.from === hunk.from && last.to === hunk.to && last.text.join("\n") === hunk.text.join("\n");
    if (isSame) continue;
    if (last && (hunk.from < last.to || (hunk.from === last.from && hunk.to === last.to))) return null;
    result.push(...lines.slice(at, hunk.from), ...hunk.text);
    at = hunk.to;
    last = hunk;
  }
  return [...result, ...lines.slice(at)].join("\n");
};
