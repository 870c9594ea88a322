/**
 * The nightly work: it checks all checkpoints, and sums the days of each organization. It runs every hour and does nothing once
 * a night is done, so that what a run leaves, because it failed, ran out of time or has to wait, is done by the next one.
 */
import type { Clock } from "../runtime/clock.ts";
import { inParallel } from "../runtime/in-parallel.ts";
import { writeLog } from "../runtime/log.ts";
import type { EvidenceStore } from "../sealing/evidence-store.ts";
import { DAY_MS, HOUR_MS } from "../terms/hours.ts";
import { organizationKey } from "../terms/keys.ts";
import { whileThereIsTime } from "../work/while-time.ts";
import type { CoverageStore } from "./coverage-store.ts";
import { lastSummedDay, SETTLED_AFTER_MS } from "./day-sums.ts";
import type { SumOrganization } from "./sum-organization.ts";

const ORGANIZATIONS_AT_ONCE = 4;
/** With less time left, no further organization is begun. */
const MARGIN_MS = 120_000;
/** A night that is not done by then is an alarm. */
const OVERDUE_MS = SETTLED_AFTER_MS + 12 * HOUR_MS;

export type SumDaysDependencies = {
  evidence: Pick<EvidenceStore, "getState" | "listHeads">;
  sums: Pick<CoverageStore, "readNight" | "putNight">;
  connectedOrganizations(): AsyncIterable<string>;
  sumOrganization: SumOrganization;
  /** @returns the number of checkpoints, and the sizes of those that do not sign the log. */
  checkCheckpoints(): Promise<{ checked: number; broken: number[] }>;
  now: Clock;
};

type NightResult = {
  organizations: number;
  days: number;
  /** Days whose sums are unequal. */
  unequal: number;
  /** Days that have work under way. */
  waiting: number;
  checkpoints: number;
  broken: number;
  isComplete: boolean;
};

const findOrganizations = async ({ evidence, connectedOrganizations }: SumDaysDependencies): Promise<string[]> => {
  const scopes = new Set((await evidence.listHeads()).keys());
  for await (const organizationId of connectedOrganizations()) scopes.add(organizationKey(organizationId));
  return [...scopes].sort();
};

/** @throws Error if organizations could not be summed: the run may be repeated. */
export const sumDays = async (dependencies: SumDaysDependencies, remainingMs: () => number): Promise<NightResult> => {
  const { evidence, sums, sumOrganization, checkCheckpoints, now } = dependencies;
  const result: NightResult = {
    organizations: 0,
    days: 0,
    unequal: 0,
    waiting: 0,
    checkpoints: 0,
    broken: 0,
    isComplete: true,
  };
  const night = lastSummedDay(now());
  const before = await sums.readNight();
  const state = await evidence.getState();
  if (before.night === night || state === undefined || state.size === 0) return result;
  if (before.checked !== night) {
    const { checked, broken } = await checkCheckpoints();
    result.checkpoints = checked;
    result.broken = broken.length;
    for (const size of broken.slice(0, 10))
      writeLog("error", "A checkpoint does not sign the log", { alarm: "checkpoint_broken", size });
    await sums.putNight({ ...before, checked: night });
  }
  const failures: unknown[] = [];
  const stop = (): void => {
    result.isComplete = false;
  };
  const limits = { remainingMs, marginMs: MARGIN_MS, failures, stop };
  const sum = async (scope: string): Promise<void> => {
    const { days, unequal, waiting } = await sumOrganization(scope, { night, logStart: state.start });
    result.organizations++;
    result.days += days;
    result.unequal += unequal;
    result.waiting += waiting;
  };
  await inParallel(whileThereIsTime(await findOrganizations(dependencies), limits), ORGANIZATIONS_AT_ONCE, (scope) =>
    sum(scope).catch((error: unknown) => void failures.push(error)),
  );
  const isDone = result.isComplete && result.waiting === 0 && failures.length === 0;
  if (isDone) await sums.putNight({ night, checked: night });
  else if (night + DAY_MS + OVERDUE_MS <= now())
    writeLog("error", "The sums of a day are not complete", {
      alarm: "coverage_overdue",
      cause: String(failures[0] ?? ""),
    });
  if (failures.length > 0)
    throw new Error(`${failures.length} organizations could not be summed.`, { cause: failures[0] });
  return { ...result, isComplete: isDone };
};
