/**
 * Marks the reports of connected organizations, so that they have a report of each day and week even without events. A day's
 * marking reads all connected organizations once, over as many invocations as it needs: docs/reports.md.
 */
import type { Clock } from "../runtime/clock.ts";
import { inParallel } from "../runtime/in-parallel.ts";
import { DAY_MS, startOfDay } from "../terms/hours.ts";
import { organizationKey } from "../terms/keys.ts";
import { CATCH_UP_DAYS, type Period, periodsOfDay } from "./period.ts";
import type { ReportDueStore } from "./report-due-store.ts";

/** Organizations between two checks of the time, and between two stored positions: after a crash, at most these are read again. */
export const ORGANIZATIONS_PER_CHUNK = 250;

const MARKS_AT_ONCE = 25;

/** Of the function's 15 minutes, marking leaves ten to the requests of reports. */
const LEFT_TO_DISPATCH_MS = 10 * 60_000;

export type MarkConnectedDependencies = {
  due: Pick<ReportDueStore, "unmarked" | "mark" | "readMarking" | "storeMarking">;
  /** All connected organizations in the order of their index, from the one after `after` on. */
  connectedOrganizations: (after?: string) => AsyncIterable<string>;
  clock: Clock;
};

/**
 * The periods that have begun since the last marked day, and those that have ended since: an organization that connected
 * during such a period has no mark of it yet.
 * @param through the last marked day; undefined before the first marking.
 */
const periodsToMark = (through: number | undefined, day: number): Period[] => {
  const first = Math.max(through ?? day - DAY_MS, day - CATCH_UP_DAYS * DAY_MS);
  const days = Array.from({ length: (day - first) / DAY_MS + 1 }, (_, index) => first + index * DAY_MS);
  return days
    .flatMap((one) => periodsOfDay(one).filter(({ from }) => from === one || one === first))
    .filter(({ from, to }) => through === undefined || from > through || to <= day);
};

async function* chunksInOrder(all: AsyncIterable<string>, size: number): AsyncGenerator<string[], void, void> {
  let chunk: string[] = [];
  for await (const one of all) {
    chunk.push(one);
    if (chunk.length < size) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}

/**
 * @returns a function that marks the current day, or continues where the last invocation stopped, and returns the number of
 *   organizations that it looked at. If a day's marking takes longer than the day, the next day's marking begins after it.
 * @throws DomainError `store_unavailable`; it may be repeated.
 */
export const createConnectedMarker =
  ({ due, connectedOrganizations, clock }: MarkConnectedDependencies) =>
  async (remainingMs: () => number): Promise<number> => {
    const today = startOfDay(clock());
    const { through, current } = await due.readMarking();
    const day = current?.day ?? today;
    if (through !== undefined && through >= day) return 0;
    const periods = periodsToMark(through, day);
    let marked = 0;
    for await (const chunk of chunksInOrder(connectedOrganizations(current?.after), ORGANIZATIONS_PER_CHUNK)) {
      const missing = await due.unmarked(chunk.map(organizationKey), periods);
      await inParallel(missing, MARKS_AT_ONCE, due.mark);
      marked += chunk.length;
      const after = chunk.at(-1) ?? "";
      await due.storeMarking({ ...(through !== undefined && { through }), current: { day, after } });
      if (remainingMs() < LEFT_TO_DISPATCH_MS) return marked;
    }
    await due.storeMarking({ through: day });
    return marked;
  };
