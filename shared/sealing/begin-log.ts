/** The beginning of the deployment's log. docs/evidence.md, "How hours are sealed". */
import type { Clock } from "../runtime/clock.ts";
import { HOUR_MS, startOfHour } from "../terms/hours.ts";
import { type DueSeal, type DueSealStore, dueSealShards } from "./due-seal-store.ts";
import type { LogState } from "./evidence-item.ts";
import type { EvidenceStore } from "./evidence-store.ts";
import type { Random } from "./heads.ts";
import type { ReadHour } from "./seal-hour.ts";

const SECRET_BYTES = 32;
const FIRST_SLOTS = 1_024;

export type BeginLogDependencies = {
  evidence: Pick<EvidenceStore, "putState">;
  dueSeals: Pick<DueSealStore, "listAll">;
  readHour: ReadHour;
  /** The name of the log. It never changes again. */
  origin: string;
  now: Clock;
  random: Random;
};

/** The oldest marked hour with an event that has a salt; undefined if there is none. */
const firstSaltedHour = async ({ dueSeals, readHour }: BeginLogDependencies): Promise<number | undefined> => {
  const marks: DueSeal[] = [];
  for (const shard of dueSealShards) for await (const mark of dueSeals.listAll(shard)) marks.push(mark);
  for (const { scope, hour } of marks.sort((one, other) => one.hour - other.hour)) {
    const events = await readHour(scope, hour);
    if (events?.some(({ isSalted }) => isSalted)) return hour;
  }
  return undefined;
};

/**
 * Stores the first state. The log begins with the hour after the one in which the service began to give events salts, or
 * with the next hour if there is no such event yet.
 * @returns undefined if another worker has begun the log. @throws DomainError `store_unavailable`.
 */
export const beginLog = async (dependencies: BeginLogDependencies): Promise<LogState | undefined> => {
  const { evidence, origin, now, random } = dependencies;
  const first = (await firstSaltedHour(dependencies)) ?? startOfHour(now());
  const secret = random(SECRET_BYTES);
  return evidence.putState(
    { start: first + HOUR_MS, size: 0, subtrees: [], origin, secret, slots: FIRST_SLOTS },
    undefined,
  );
};
