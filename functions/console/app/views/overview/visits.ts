/** When the user was on the overview before: kept for each browser, organization and user. */
import { readKept, writeKept } from "../../words/kept.ts";

/** `since`: the end of the visit before this one, if there was one; `lastAt`: of this one so far. Epoch milliseconds. */
export type Visit = { since?: number | undefined; lastAt: number };

/** Without the page for this long, the user was away. */
const AWAY_MS = 30 * 60_000;

/** The visit at this time: the one that is kept goes on, or another one begins. */
export const visitAt = (before: Visit | undefined, now: number): Visit =>
  before === undefined || now - before.lastAt <= AWAY_MS
    ? { since: before?.since, lastAt: now }
    : { since: before.lastAt, lastAt: now };

const parseVisit = (text: string | undefined): Visit | undefined => {
  try {
    const { since, lastAt } = Object(JSON.parse(text ?? "null")) as Partial<Visit>;
    if (typeof lastAt !== "number") return undefined;
    return { since: typeof since === "number" ? since : undefined, lastAt };
  } catch {
    return undefined;
  }
};

/** Notes that the user is here. @returns when they were here before; undefined at the first visit */
export const noteVisit = (organizationId: string, userId: string, now: number): number | undefined => {
  const name = `visit ${JSON.stringify([organizationId, userId])}`;
  const visit = visitAt(parseVisit(readKept(name)), now);
  writeKept(name, JSON.stringify(visit));
  return visit.since;
};
