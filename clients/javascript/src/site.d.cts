/** A user of your app. */
export interface SiteUser {
  /** Your own id of them, 1 to 200 characters; it never changes. */
  id: string;
  name?: string | null;
  email?: string | null;
  /**
   * Whether you know that the address is theirs. Only then are they the same customer as who signs in with a code to
   * this address. Default: false.
   */
  emailVerified?: boolean;
  /** The https address of their picture. */
  picture?: string | null;
}

export interface TokenOptions {
  /** The present time in seconds, if not the clock's. */
  now?: number;
  /** The token's id, if not a random one. */
  tokenId?: string;
}

/** How long a token lives, in seconds. */
export const TOKEN_SECONDS: 60;

/**
 * The address that signs a user in to the help site: `redirect`, with a token behind its `#`.
 *
 * @throws {RangeError} `redirect` is not of your help site, or something cannot be a key, a state or a user
 */
export function signInAddress(key: string, site: string, redirect: string, state: string, user: SiteUser): string;

/**
 * The token of `signInAddress`, to send in the field `token` of a form that is posted to `redirect`.
 *
 * @throws {RangeError} something cannot be a key, a state or a user
 */
export function signInToken(key: string, state: string, user: SiteUser, options?: TokenOptions): string;

/**
 * The token with which your page signs its user in to the chat widget: `Helpdesk.identify(token)`. It lives for 60
 * seconds and works once.
 *
 * @throws {RangeError} something cannot be a key or a user
 */
export function widgetToken(key: string, user: SiteUser, options?: TokenOptions): string;
