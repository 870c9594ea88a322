/**
 * The session of this tab. Tokens live in this module's memory only: a reload loses them, and the page gets new ones from
 * the issuer without asking, because the user is still signed in there.
 */
import { signal } from "@preact/signals";
import { asProblem, Problem } from "../api/problem.ts";
import { forgetAnswers } from "../api/resource.ts";
import type { CallerAccess } from "../api/types.ts";
import { takeArrival } from "./arrival.ts";
import type { Identity, Tokens } from "./identity.ts";
import { forgetKnownCaller, keepKnownCaller, readKnownCaller } from "./known-caller.ts";

export type Session =
  | { state: "starting" }
  /** The deployment names no client for the console. */
  | { state: "notConfigured"; issuer: string }
  /** `note`: a sentence that the user should know. */
  | { state: "signedOut"; note?: string }
  /** The issuer fails, or the API. `isKnown`: the issuer did sign the user in. */
  | { state: "failed"; reason: string; requestId?: string | undefined; isKnown: boolean }
  | { state: "signedIn"; me: CallerAccess }
  /** The tokens have ended and cannot be renewed; the page stays as it is behind a dialog. */
  | { state: "expired"; me: CallerAccess };

export const session = signal<Session>({ state: "starting" });

/**
 * Whether a new page of this browser should sign in without a click: after a reload, or in a new tab. It holds no token. A sign-out
 * removes it, which other tabs notice.
 */
const WAS_SIGNED_IN = "console.wasSignedIn";

let identity: Identity | undefined;
let tokens: Tokens | undefined;
let renewal: Promise<Tokens | undefined> | undefined;
/** The token has just come from the issuer: whether it has ended need not be asked. */
let isNew = false;

const explain = (error: unknown): string => identity?.explain(error) ?? String(error);

const here = (): string => location.pathname + location.search;

/** Without valid tokens, the views stay behind a dialog. */
const expire = (): void => {
  tokens = undefined;
  if (session.value.state === "signedIn") session.value = { state: "expired", me: session.value.me };
};

/**
 * One renewal at a time: the issuer ends a session whose refresh token comes twice.
 * @throws Problem if the issuer fails
 */
const renew = (): Promise<Tokens | undefined> => {
  renewal ??= (async () => {
    const before = tokens;
    try {
      const next = before && (await identity?.renew(before));
      // The user may have signed out in between.
      if (tokens !== before) return tokens;
      if (next === undefined) expire();
      else tokens = next;
      return next;
    } catch (error) {
      throw new Problem(`Your session could not be renewed. ${explain(error)}`);
    } finally {
      renewal = undefined;
    }
  })();
  return renewal;
};

/** A token that is valid for a while; undefined if the session has ended. @throws Problem if the issuer fails. */
export const accessToken = async (): Promise<string | undefined> => {
  if (tokens === undefined || identity === undefined) return undefined;
  if (isNew) return tokens.access;
  const now = await identity.now();
  // The user may have signed out in between.
  if (tokens === undefined) return undefined;
  const { access, renewAt, expiresAt } = tokens;
  if (now < renewAt) return access;
  try {
    return (await renew())?.access;
  } catch (problem) {
    if (now < expiresAt) return access;
    throw problem;
  }
};

/** After the API refused a token: another token, or undefined if the session has ended. @param refused the token. */
export const tokenAfterRefusal = async (refused: string): Promise<string | undefined> =>
  tokens !== undefined && tokens.access !== refused ? tokens.access : (await renew())?.access;

/** The API refuses a new token too. @param refused the token. */
export const endRefusedSession = (refused: string): void => {
  if (tokens?.access === refused) expire();
};

/** Leaves for the issuer's page, and returns to the present view. */
export const signIn = async ({ isSilent = false } = {}): Promise<void> => {
  try {
    await identity?.leave({ returnTo: here(), isSilent });
  } catch (error) {
    session.value = { state: "failed", reason: explain(error), isKnown: false };
  }
};

/** Forgets everything of the user. @returns the tokens that were in use. */
const forget = (): Tokens | undefined => {
  const ended = tokens;
  tokens = undefined;
  sessionStorage.clear();
  forgetKnownCaller();
  forgetAnswers();
  history.replaceState(null, "", "/console");
  return ended;
};

/** Ends the session here, in the browser's other tabs, and at the issuer. */
export const signOut = async (): Promise<void> => {
  const ended = forget();
  localStorage.removeItem(WAS_SIGNED_IN);
  session.value = { state: "signedOut" };
  const page = await identity?.end(ended).catch(() => undefined);
  if (page !== undefined) location.assign(page);
};

/** The user signed out in another tab of this browser. */
const signOutToo = async ({ key, newValue }: StorageEvent): Promise<void> => {
  const isSignOut = (key === WAS_SIGNED_IN || key === null) && newValue === null;
  if (!isSignOut || (session.value.state !== "signedIn" && session.value.state !== "expired")) return;
  const ended = forget();
  session.value = { state: "signedOut", note: "You signed out in another tab." };
  // That tab ends the session at the issuer; this one only gives its own refresh token back.
  await identity?.end(ended).catch(() => undefined);
};

type ReadCaller = () => Promise<CallerAccess>;
type OnSignedIn = (me: CallerAccess) => void;

/** With a known caller, the views read at once, beside the request that asks who the caller is. */
const enter = async (readCaller: ReadCaller, onSignedIn: OnSignedIn): Promise<void> => {
  const subject = tokens?.subject;
  const known = readKnownCaller(subject);
  isNew = true;
  const reading = readCaller().finally(() => {
    isNew = false;
  });
  if (known !== undefined) {
    onSignedIn(known);
    session.value = { state: "signedIn", me: known };
  }
  const isOver = (): boolean => known !== undefined && session.value.state === "signedOut";
  try {
    const me = await reading;
    if (isOver()) return;
    keepKnownCaller(subject, me);
    if (known === undefined) onSignedIn(me);
    if (known === undefined || JSON.stringify(known) !== JSON.stringify(me))
      session.value = { state: session.value.state === "expired" ? "expired" : "signedIn", me };
    localStorage.setItem(WAS_SIGNED_IN, "yes");
  } catch (error) {
    if (isOver()) return;
    forgetKnownCaller();
    const { message, requestId } = asProblem(error);
    session.value = { state: "failed", reason: message, requestId, isKnown: true };
  }
};

/**
 * Signs in: with the issuer's answer in the address, or silently if this browser was signed in before.
 * @param readCaller reads who the caller is, with the new token.
 * @param onSignedIn is called once, before the views are shown.
 */
export const startSession = async (readCaller: ReadCaller, onSignedIn: OnSignedIn = () => undefined): Promise<void> => {
  const arrival = takeArrival();
  const { issuer, url } = arrival;
  if (arrival.identity === undefined) {
    session.value = { state: "notConfigured", issuer };
    return;
  }
  identity = arrival.identity;
  addEventListener("storage", (event) => void signOutToo(event));
  // The browser may keep the page as it was while it left for the issuer.
  addEventListener("pageshow", ({ persisted }) => {
    if (persisted && session.value.state === "starting") location.reload();
  });
  const returned = await arrival.returned;
  if (returned !== undefined) history.replaceState(null, "", returned.returnTo);
  // The back button shows an old return again, and a stranger's link may look like one.
  else if (identity.isReturn(url)) history.replaceState(null, "", "/console");
  if (returned?.outcome === "signedIn") {
    tokens = returned.tokens;
    await enter(readCaller, onSignedIn);
  } else if (returned?.outcome === "failed") {
    session.value = { state: "failed", reason: `You are not signed in. ${returned.reason}`, isKnown: false };
  } else if (returned === undefined && localStorage.getItem(WAS_SIGNED_IN) === "yes") {
    await signIn({ isSilent: true });
  } else {
    // Not removed, because other tabs may have tokens that are still good.
    localStorage.setItem(WAS_SIGNED_IN, "no");
    session.value = {
      state: "signedOut",
      ...(returned !== undefined && !returned.isSilent && { note: `You are not signed in: ${returned.reason}` }),
    };
  }
};
