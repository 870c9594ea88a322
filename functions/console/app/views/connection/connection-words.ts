/** The connection in words: its status, what ended it, and what to do about each failure of its requests. Pure. */
import type { Permission } from "../../access.ts";
import type { Problem } from "../../api/problem.ts";
import type { Connection } from "../../api/types.ts";
import { everyHours, type Tone } from "../../words/format.ts";

/** `link`: the view that helps; only for users who may open it. */
export type Advice = { text: string; link?: { href: string; text: string; needs: Permission } };

/** By the numbers of the error catalogue. The connection stays as it was in all of these cases. */
const BY_CODE: Readonly<Record<number, Advice>> = {
  40002: { text: "Copy the value again, without spaces, line breaks or quotation marks." },
  40004: {
    text: "An authorization is good for ten minutes, for one connect, and for the user who started it. If the page shows the connection as connected, all is well. Otherwise start again with OAuth.",
  },
  40301: { text: "Ask an administrator of your organization to connect, or to give you another role." },
  40302: { text: "Your address is not in the organization’s IP allowlist. Call from an allowed network." },
  40902: {
    text: "The records of another account are stored, and two accounts are never mixed. Connect the first account again, or erase everything and then connect this account.",
    link: { href: "/console/erasure", text: "Open Erasure", needs: "erasure:request" },
  },
  40903: { text: "There is no connection any more. Reload the page." },
  40907: { text: "25 other organizations have connected this account already. One of them must disconnect first." },
  42201: {
    text: "Check that the key is complete, belongs to the right account, is neither deleted nor expired, and has the permissions that are listed here.",
  },
  42202: {
    text: "Give the key the permission to write webhook endpoints, or register the webhook by hand and enter its signing secret here.",
  },
  50303: {
    text: "The circuit breaker refuses calls to the provider at present. Connect when it has closed.",
    link: { href: "/console/circuit-breaker", text: "Open Circuit breaker", needs: "status:read" },
  },
  50304: { text: "Nothing was stored. Try again in a moment." },
  50305: {
    text: "This deployment has no OAuth credentials of its own at the provider. Connect with an API key, or ask those who run the deployment to set them (docs/provider-setup.md).",
  },
  50306: {
    text: "This deployment has no URL for webhooks. Connect without webhooks: syncs run on a schedule all the same.",
  },
};

export const adviceFor = ({ code, status }: Pick<Problem, "code" | "status">): Advice => {
  const known = code === undefined ? undefined : BY_CODE[code];
  if (known !== undefined) return known;
  if (status === undefined)
    return { text: "It is not known whether the service has done it. Look at the status above before you try again." };
  if (status === 401) return { text: "Your session has ended. Sign in again; nothing was changed." };
  if (status === 403) return { text: "Ask an administrator of your organization." };
  if (status === 429) return { text: "Too many requests at once. Wait some seconds and try again." };
  if (status >= 500) return { text: "The service failed. Look at the status above before you try again." };
  return { text: "The request cannot succeed as it is. Nothing was changed." };
};

/** Why the provider's refusal ended the connection, by the event's error code. */
const CAUSES: Readonly<Record<string, string>> = {
  api_key_refused: "The provider refused the API key twice: it was deleted or rolled, or it has expired.",
  invalid_grant: "The provider ended the access that was granted: somebody revoked it there, or it was not renewed.",
  token_refused: "The provider refused a token that it had just issued: somebody revoked the access there.",
};

/** @param errorCode of the event that reports it, if the user may see it. */
export const reconnectCause = (method: "api_key" | "oauth" | undefined, errorCode?: string): string =>
  (errorCode && CAUSES[errorCode]) ??
  (method === "oauth"
    ? "The provider does not accept the granted access any more. Somebody may have revoked it there."
    : "The provider does not accept the API key any more. It may have been deleted or rolled, or it has expired.");

/** The address of the console to which the provider must return, and what it brought. */
export const RETURN_PATH = "/console/connection";

export type ProviderReturn =
  | { outcome: "granted"; code: string; state: string }
  /** The provider, or the user there, did not grant access. */
  | { outcome: "refused"; reason: string };

/**
 * What the provider brought back in the address; undefined if the page was opened in another way. Source of the error's
 * parameters: RFC 6749, section 4.1.2.1.
 */
export const readReturn = (query: Readonly<Record<string, string | undefined>>): ProviderReturn | undefined => {
  const { code, state, error, error_description: description } = query;
  if (error !== undefined) return { outcome: "refused", reason: description || error || "no reason given" };
  return code && state ? { outcome: "granted", code, state } : undefined;
};

const KEY_KINDS = { unrestricted: "Unrestricted", restricted: "Restricted", oauth: "Granted by OAuth" } as const;

/** "Restricted, live". */
export const keyWords = ({ kind, mode }: Pick<NonNullable<Connection["key"]>, "kind" | "mode">): string =>
  `${KEY_KINDS[kind]}, ${mode}`;

const statusWords: Readonly<Record<Connection["status"], readonly [Tone, string]>> = {
  connected: ["good", "Connected"],
  needs_reconnect: ["bad", "Needs reconnecting"],
  disconnected: ["quiet", "Disconnected"],
};

/** A connection leaves the time of its last sync behind, or its account. */
const isNew = ({ status, connectedAt, accountId, lastSyncAt }: Connection): boolean =>
  status === "disconnected" && [connectedAt, accountId, lastSyncAt].every((trace) => trace === undefined);

/** The state of a connection in words; one that was never made is not "disconnected". */
export const statusOf = (connection: Connection): readonly [Tone, string] =>
  isNew(connection) ? ["quiet", "Not connected yet"] : statusWords[connection.status];

/** What a connection does; undefined for one that must be made again. */
export const statusSentence = (connection: Connection): string | undefined => {
  const { status, provider, syncIntervalHours } = connection;
  if (status === "needs_reconnect") return undefined;
  if (status === "connected") return `Records are synced ${everyHours(syncIntervalHours)}, and as webhooks arrive.`;
  const start = `Connect an account of ${provider.name} to start.`;
  if (isNew(connection)) return `${start} Its records are then synced ${everyHours(syncIntervalHours)}.`;
  return `Nothing is synced. ${start} Records that were synced before stay until they are erased.`;
};
