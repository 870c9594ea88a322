/** What a report says of the sums of its period's days. docs/reports.md. */
import type { Clock } from "../runtime/clock.ts";
import type { EvidenceStore } from "../sealing/evidence-store.ts";
import { DAY_MS, dayName } from "../terms/hours.ts";
import { organizationKey } from "../terms/keys.ts";
import type { CoverageStore } from "./coverage-store.ts";
import { type DaySums, isWhole, sumDay } from "./day-sums.ts";
import type { ReadDay } from "./read-day.ts";

/** `days`: those that the sealed log has hours of. `open`: without sums yet. `problem`: the first unequal day. */
export type PeriodSums = { days: number; recorded: number; open: number; problem?: string | undefined };

type Dependencies = {
  evidence: Pick<EvidenceStore, "getState">;
  sums: Pick<CoverageStore, "listDays" | "readProgress">;
  readDay: ReadDay;
  now: Clock;
};

/**
 * The returned function reads the stored sums. A report is made soon after its period, before the night of the last day: that day is
 * read then; if its sums are unequal, it counts as open, because work on its hours may be under way. It throws DomainError
 * `store_unavailable`.
 * @param period whole days, epoch ms; `to` exclusive.
 */
export const createReadPeriodSums =
  ({ evidence, sums, readDay, now }: Dependencies) =>
  async (organizationId: string, { from, to }: { from: number; to: number }): Promise<PeriodSums> => {
    const scope = organizationKey(organizationId);
    const state = await evidence.getState();
    const logStart = state?.start ?? Number.POSITIVE_INFINITY;
    const [stored, progress] = await Promise.all([
      sums.listDays(scope, { first: from, last: to - DAY_MS }),
      sums.readProgress(scope),
    ]);
    const readLast = async (day: number): Promise<DaySums | undefined> => {
      const found = sumDay(await readDay({ scope, day, logStart, feedSince: progress?.fedSince, now: now() }));
      return isWhole(found) ? found : undefined;
    };
    const result: PeriodSums = { days: 0, recorded: 0, open: 0 };
    for (let day = from; day < to; day += DAY_MS) {
      if (day + DAY_MS <= logStart) continue;
      result.days++;
      const found = stored.get(day) ?? (day === to - DAY_MS ? await readLast(day) : undefined);
      if (found === undefined) result.open++;
      else if (isWhole(found)) result.recorded += found.recorded;
      else result.problem ??= `${dayName(day)}: ${found.problem}`;
    }
    return result;
  };
