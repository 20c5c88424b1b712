"use strict";

/*
 * Stores of calls: what a call was answered, so that a call that comes again does not run again.
 *
 * A store of your own, in your database, has the two methods below. `claim` must be one atomic step, such as INSERT … ON
 * CONFLICT DO NOTHING. A kept call is { fingerprint, status, body }; `status` and `body` are null while it runs, and for
 * good if its process died. Keep calls for at least a day.
 */

const { createHash, randomUUID } = require("node:crypto");
const { mkdirSync } = require("node:fs");
const { link, open, readFile, readdir, rename, rm, stat } = require("node:fs/promises");
const { join } = require("node:path");

/** Calls in this process's memory, the newest 10,000. Only for one process, and for tools that change nothing. */
class MemoryStore {
  #calls = new Map();
  #most;

  constructor(most = 10_000) {
    this.#most = most;
  }

  /** Remember a new ID and return null, or return the call that came before. */
  async claim(id, fingerprint) {
    const kept = this.#calls.get(id);
    if (kept !== undefined) return kept;
    this.#calls.set(id, { fingerprint, status: null, body: null });
    if (this.#calls.size > this.#most) this.#calls.delete(this.#calls.keys().next().value);
    return null;
  }

  /** Remember the response to a claimed call. */
  async finish(id, fingerprint, status, body) {
    this.#calls.set(id, { fingerprint, status, body });
  }
}

/** Calls in a folder, one file each, which survive a crash. For the processes of one machine. */
class FileStore {
  #folder;

  constructor(folder) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true });
  }

  /** Remember a new ID and return null, or return the call that came before. */
  async claim(id, fingerprint) {
    const draft = await this.#draft({ fingerprint, status: null, body: null });
    try {
      await link(draft, this.#file(id)); // whole, and only if there is none
      return null;
    } catch (problem) {
      if (problem.code !== "EEXIST") throw problem;
      return JSON.parse(await readFile(this.#file(id), "utf8"));
    } finally {
      await rm(draft, { force: true });
    }
  }

  /** Remember the response to a claimed call. */
  async finish(id, fingerprint, status, body) {
    await rename(await this.#draft({ fingerprint, status, body }), this.#file(id));
  }

  /** Delete calls that are older. */
  async prune(days = 30) {
    const oldest = Date.now() - days * 86_400_000;
    for (const name of await readdir(this.#folder)) {
      const file = join(this.#folder, name);
      if (name.endsWith(".json") && (await stat(file)).mtimeMs < oldest) await rm(file, { force: true });
    }
  }

  #file(id) {
    return join(this.#folder, `${createHash("sha256").update(id).digest("hex")}.json`);
  }

  async #draft(kept) {
    const draft = join(this.#folder, `${randomUUID()}.draft`);
    const file = await open(draft, "w");
    try {
      await file.writeFile(JSON.stringify(kept));
      await file.sync();
    } finally {
      await file.close();
    }
    return draft;
  }
}

module.exports = { FileStore, MemoryStore };
