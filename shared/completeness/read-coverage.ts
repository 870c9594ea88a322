/** Reads what GET …/security/coverage answers: the stored sums of a month. */
import type { Clock } from "../runtime/clock.ts";
import { organizationKey } from "../terms/keys.ts";
import { type Coverage, type CoverageQuery, coverageOf, daysOfMonth } from "./coverage.ts";
import type { CoverageStore } from "./coverage-store.ts";

export type ReadCoverageDependencies = { sums: Pick<CoverageStore, "listDays" | "readProgress">; now: Clock };

/** The returned function throws DomainError `store_unavailable`. */
export const createReadCoverage =
  ({ sums, now }: ReadCoverageDependencies) =>
  async (organizationId: string, { month }: CoverageQuery): Promise<Coverage> => {
    const scope = organizationKey(organizationId);
    const [stored, progress] = await Promise.all([sums.listDays(scope, daysOfMonth(month)), sums.readProgress(scope)]);
    return coverageOf(month, stored, { from: progress?.from, now: now() });
  };
