/**
 * The session of this tab. Tokens live in this module's memory only: a reload loses them, and the page gets new ones from
 * the issuer without asking, because the user is still signed in there.
 */
import { signal } from "@preact/signals";
import type { Problem } from "../api/problem.ts";
import { forgetAnswers } from "../api/resource.ts";
import type { CallerAccess } from "../api/types.ts";
import { createIdentity, type Identity, type Tokens } from "./identity.ts";
import { readSettings } from "./settings.ts";

export type Session =
  | { state: "starting" }
  /** The deployment names no client for the console. */
  | { state: "notConfigured"; issuer: string }
  | { state: "signedOut"; reason?: string }
  /** The issuer cannot be reached, or the API refuses the token or cannot be reached. */
  | { state: "failed"; reason: string; requestId?: string | undefined }
  | { state: "signedIn"; me: CallerAccess }
  /** The tokens have ended and cannot be renewed; the page stays as it is behind a dialog. */
  | { state: "expired"; me: CallerAccess };

export const session = signal<Session>({ state: "starting" });

/** Remembers in this tab that a reload should sign in again. It holds no token. */
const WAS_SIGNED_IN = "console.wasSignedIn";
/** Tokens are renewed this long before they end. */
const RENEW_BEFORE_MS = 30_000;

let identity: Identity | undefined;
let tokens: Tokens | undefined;
let renewal: Promise<Tokens | undefined> | undefined;

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const here = (): string => location.pathname + location.search;

const expire = (): void => {
  tokens = undefined;
  if (session.value.state === "signedIn") session.value = { state: "expired", me: session.value.me };
};

/** One renewal at a time: the issuer ends a session whose refresh token comes twice. */
const renew = (): Promise<Tokens | undefined> => {
  renewal ??= (async () => {
    try {
      const next = tokens && (await identity?.renew(tokens));
      if (next === undefined) expire();
      else tokens = next;
      return next;
    } finally {
      renewal = undefined;
    }
  })();
  return renewal;
};

/** A token that is valid for a while; undefined if the session has ended. @throws Error if the issuer cannot be reached. */
export const accessToken = async (): Promise<string | undefined> => {
  if (tokens === undefined) return undefined;
  if (Date.now() < tokens.expiresAt - RENEW_BEFORE_MS) return tokens.access;
  return (await renew())?.access;
};

/** After the API refused a token: another token, or undefined if the session has ended. @param refused the token. */
export const tokenAfterRefusal = async (refused: string): Promise<string | undefined> =>
  tokens !== undefined && tokens.access !== refused ? tokens.access : (await renew())?.access;

/** Leaves for the issuer's page, and returns to the present view. */
export const signIn = async ({ isSilent = false } = {}): Promise<void> => {
  try {
    await identity?.leave({ returnTo: here(), isSilent });
  } catch (error) {
    session.value = { state: "failed", reason: `The issuer cannot be reached: ${reasonOf(error)}` };
  }
};

/** Ends the session here and at the issuer. */
export const signOut = async (): Promise<void> => {
  const ended = tokens;
  tokens = undefined;
  sessionStorage.clear();
  forgetAnswers();
  session.value = { state: "signedOut" };
  history.replaceState(null, "", "/console");
  const page = ended && (await identity?.end(ended).catch(() => undefined));
  if (page !== undefined) location.assign(page);
};

const enter = async (readCaller: () => Promise<CallerAccess>): Promise<void> => {
  try {
    session.value = { state: "signedIn", me: await readCaller() };
    sessionStorage.setItem(WAS_SIGNED_IN, "yes");
  } catch (error) {
    const { requestId } = error as Partial<Problem>;
    session.value = { state: "failed", reason: reasonOf(error), requestId };
  }
};

/**
 * Signs in: with the issuer's answer in the address, or silently if this tab was signed in before.
 * @param readCaller reads who the caller is, with the new token.
 */
export const startSession = async (readCaller: () => Promise<CallerAccess>): Promise<void> => {
  const settings = readSettings();
  const { clientId, issuer } = settings;
  if (clientId === null) {
    session.value = { state: "notConfigured", issuer };
    return;
  }
  identity = createIdentity({ ...settings, clientId }, `${location.origin}/console`);
  try {
    const returned = await identity.complete(new URL(location.href));
    if (returned !== undefined) history.replaceState(null, "", returned.returnTo);
    if (returned?.outcome === "signedIn") {
      tokens = returned.tokens;
      await enter(readCaller);
    } else if (returned?.outcome === "failed") {
      session.value = { state: "failed", reason: `Signing in failed: ${returned.reason}` };
    } else if (returned === undefined && sessionStorage.getItem(WAS_SIGNED_IN) !== null) {
      await signIn({ isSilent: true });
    } else {
      sessionStorage.removeItem(WAS_SIGNED_IN);
      session.value = {
        state: "signedOut",
        ...(returned !== undefined && !returned.isSilent && { reason: returned.reason }),
      };
    }
  } catch (error) {
    history.replaceState(null, "", location.pathname);
    session.value = { state: "failed", reason: `Signing in failed: ${reasonOf(error)}` };
  }
};
