import type { IncomingMessage, ServerResponse } from "node:http";

/** Whether the service asks before it calls: not for low and medium, a model for reviewed, a person for high. */
export type Risk = "low" | "medium" | "reviewed" | "high";

/** For whom a tool is called. `externalId` is your own ID of them. Either it or `email` is there. */
export interface Visitor {
  externalId: string | null;
  name: string | null;
  email: string | null;
}

/** Where a call comes from. `test` is true for a call that a teammate makes to try the tool; it is a real call. */
export interface Context {
  callId: string;
  conversationId: string | null;
  visitor: Visitor | null;
  test: boolean;
}

export interface ToolOptions<Input = any> {
  /** 1 to 64 letters, digits, `_` and `-`. */
  name: string;
  /** For the team; the name in words by default. */
  title?: string;
  /** For the model: what the tool does and when to use it. */
  description: string;
  risk: Risk;
  /** Whether the service must know the visitor by your ID or an e-mail address. Default: false. */
  requiresIdentity?: boolean;
  /** The JSON Schema (2020-12) of the input; its type is "object". The service checks the input before it calls. */
  input: Record<string, unknown> & { type: "object" };
  /** The JSON Schema of the result. */
  output?: Record<string, unknown>;
  /** Does the work and returns the result, at most 256 KB of JSON. Throws Refused if it does not do it. */
  run(input: Input, context: Context): unknown;
}

/** A call that came before. `status` and `body` are null while it runs, and for good if its process died. */
export interface Kept {
  fingerprint: string;
  status: number | null;
  body: string | null;
}

/** Remembers calls by their ID. */
export interface Store {
  /** Remember a new ID and return null, or return the call that came before; one atomic step. */
  claim(id: string, fingerprint: string): Promise<Kept | null>;
  /** Remember the response to a claimed call. */
  finish(id: string, fingerprint: string, status: number, body: string): Promise<void>;
}

/** Calls in this process's memory, the newest 10,000. */
export class MemoryStore implements Store {
  constructor(most?: number);
  claim(id: string, fingerprint: string): Promise<Kept | null>;
  finish(id: string, fingerprint: string, status: number, body: string): Promise<void>;
}

/** Calls in a folder, one file each, which survive a crash. */
export class FileStore implements Store {
  constructor(folder: string);
  claim(id: string, fingerprint: string): Promise<Kept | null>;
  finish(id: string, fingerprint: string, status: number, body: string): Promise<void>;
  /** Delete calls that are older. Default: 30 days. */
  prune(days?: number): Promise<void>;
}

/** The tool does not do it. Throw it before you change anything. */
export class Refused extends Error {
  constructor(message: string);
}

export interface ToolboxOptions {
  /** The secret key (`svc_key_…`) with which the tool endpoint is added; while keys are replaced, several. */
  key: string | readonly string[];
  /** Remembers calls; a MemoryStore by default. */
  store?: Store;
  /** How far a request's time may lie from this machine's clock, in milliseconds. Default: five minutes. */
  tolerance?: number;
}

export interface ToolResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** Tools behind one URL: GET returns the manifest, POST runs a tool. */
export class Toolbox {
  constructor(options: ToolboxOptions);
  /**
   * Declare a tool.
   *
   * @throws {TypeError | RangeError} this cannot be a tool
   */
  add<Input = any>(tool: ToolOptions<Input>): this;
  manifest(): { version: 1; tools: Record<string, unknown>[] };
  /** The response to a request: its method, its svc-signature header and its body as received. */
  respond(method: string, signature: string | string[] | undefined, body: Uint8Array): Promise<ToolResponse>;
  /** The listener of a server of node:http, and the handler of a route of Express. */
  node: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  /** The handler of a Lambda function URL, or of an HTTP API with payload format 2.0. */
  lambda: (event: any) => Promise<{ statusCode: number; headers: Record<string, string>; body: string }>;
}
