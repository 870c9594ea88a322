/**
 * Who the user was at the last sign-in in this browser. The views of a new page begin with it, so their reads need not wait for
 * the service's answer, which replaces it. A sign-out forgets it.
 */
import type { CallerAccess } from "../api/types.ts";
import { forgetKept, readKept, writeKept } from "../words/kept.ts";

const NAME = "caller";
/** The name of the script changes with each version of the console, which may expect other fields. */
const VERSION = import.meta.url;

type Known = { version: string; subject: string; me: CallerAccess };

/** @param subject names the user at the issuer; undefined if the issuer did not say. */
export const readKnownCaller = (subject: string | undefined): CallerAccess | undefined => {
  try {
    const known = Object(JSON.parse(readKept(NAME) ?? "null")) as Partial<Known>;
    return subject !== undefined && known.subject === subject && known.version === VERSION ? known.me : undefined;
  } catch {
    return undefined;
  }
};

export const keepKnownCaller = (subject: string | undefined, me: CallerAccess): void => {
  if (subject !== undefined) writeKept(NAME, JSON.stringify({ version: VERSION, subject, me } satisfies Known));
};

export const forgetKnownCaller = (): void => forgetKept(NAME);
