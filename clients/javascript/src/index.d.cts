/** A delivered event: `id`, `type`, `createdAt` (milliseconds) and `data`. */
export interface Event {
  /** The same whenever the delivery is repeated: `evt_` and 32 hex characters. */
  id: string;
  type: string;
  createdAt: number;
  data: Record<string, any>;
}

export interface VerifyOptions {
  /** Milliseconds that the header's time may lie before or after this machine's clock; null for no check. Default: five minutes. */
  tolerance?: number | null;
  /** The present time in milliseconds, if not the clock's. */
  now?: number;
}

/** The request's body exactly as received. A Buffer is a Uint8Array. */
export type Payload = Uint8Array | ArrayBuffer | string;

/** The header's name, in lower case as Node writes the names in `request.headers`. */
export const SIGNATURE_HEADER: "svc-signature";

/** Five minutes, in milliseconds. */
export const DEFAULT_TOLERANCE: 300000;

/**
 * Check that `payload` was recently signed with `secret`; return the event in it.
 *
 * @throws {VerificationError} the request must not be trusted; each kind is a class of its own
 * @throws {TypeError | RangeError} a mistake in the calling program: a parsed body, the key instead of the secret
 */
export function verify(
  payload: Payload,
  header: string | readonly string[] | null | undefined,
  secret: string | readonly string[],
  options?: VerifyOptions,
): Event;

/** The header that the service would send with `payload` at `timestamp` (milliseconds). For tests of a receiver. */
export function sign(payload: Payload, secret: string, timestamp: number): string;

/** The three headers' names of the Standard Webhooks form, in lower case as Node writes the names in `request.headers`. */
export const STANDARD_HEADERS: readonly ["webhook-id", "webhook-timestamp", "webhook-signature"];

/** The request's headers: an object, names in any case, or a `Headers`. */
export type RequestHeaders =
  | Record<string, string | readonly string[] | undefined>
  | { get(name: string): string | null | undefined };

/**
 * The same as `verify` by the signature of the Standard Webhooks form, with the endpoint's own secret, `whsec_…`.
 *
 * @throws {VerificationError} the request must not be trusted; each kind is a class of its own
 * @throws {TypeError | RangeError} a mistake in the calling program: a parsed body, a key instead of the secret
 */
export function verifyStandard(
  payload: Payload,
  headers: RequestHeaders,
  secret: string | readonly string[],
  options?: VerifyOptions,
): Event;

/** The three headers that the service would send with `payload` at `timestamp` (milliseconds). For tests of a receiver. */
export function signStandard(
  payload: Payload,
  secret: string,
  id: string,
  timestamp: number,
): Record<"webhook-id" | "webhook-timestamp" | "webhook-signature", string>;

/**
 * The secret that signs the webhooks of an endpoint added with `key`, a whole secret key (`svc_key_…`).
 *
 * @throws {RangeError} this cannot be a secret key
 */
export function webhookSecret(key: string): string;

/** The secret that signs the calls of tools. Same form as `webhookSecret`. */
export function toolsSecret(key: string): string;

/** The secret that signs sign-ins to the help site. Same form as `webhookSecret`. */
export function siteSecret(key: string): string;

/** The request must not be trusted. Respond with 400 and do not act on it. */
export class VerificationError extends Error {}

/** The request carries no signature header. */
export class SignatureMissing extends VerificationError {}

/** The signature header is not of the form `t=<milliseconds>,v1=<hex>[,v1=<hex>…]`. */
export class InvalidHeader extends VerificationError {}

/** The time in the header differs from this machine's clock by more than the tolerance. */
export class TimestampOutOfTolerance extends VerificationError {}

/** The request was signed too long ago. */
export class TimestampTooOld extends TimestampOutOfTolerance {}

/** The request was signed too far in the future. */
export class TimestampTooNew extends TimestampOutOfTolerance {}

/** No signature in the header matches this body and this secret. */
export class SignatureMismatch extends VerificationError {}

/** The body is signed correctly, but it is not a JSON object. */
export class InvalidPayload extends VerificationError {}
