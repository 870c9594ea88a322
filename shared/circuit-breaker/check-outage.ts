/**
 * The check whether half of all circuits opened by themselves. It counts the circuits that are not closed: after every
 * transition while they are few, and once in ten seconds for all instances while they are many, because each count reads
 * all of them. docs/circuit-breaker.md, "Transitions".
 */
import type { Clock } from "../runtime/clock.ts";
import { writeLog } from "../runtime/log.ts";
import { identityOf } from "../security/event-id.ts";
import type { Recorder } from "../security/recorder.ts";
import { noCounts } from "./circuit.ts";
import { globalStats } from "./circuit-statistics.ts";
import type { CircuitStore, OpenCircuits } from "./circuit-store.ts";
import type { Outage, OutageStore } from "./outage-store.ts";

type OutageDependencies = {
  circuits: Pick<CircuitStore, "countOpen">;
  outages: OutageStore;
  connectedOrganizations: () => Promise<number>;
  recorder: Pick<Recorder, "record">;
  clock: Clock;
};

/** In a small deployment, the failure of a few accounts is no failure of the system. */
const MIN_CONNECTED_ORGANIZATIONS = 5;

/** From this many circuits on that are not closed, a count serves all instances. With fewer it costs at most 8 read units. */
export const MANY_CIRCUITS = 1_000;

/** While many circuits are not closed, all instances together count once in this time. */
export const COUNT_INTERVAL_MS = 10_000;

/**
 * Starts, records or ends the outage. There is an outage if half or more of all circuits have opened by themselves: then
 * the whole system fails. Circuits that operators hold open do not count. Each outage has one CRITICAL event of no
 * organization. After a crash the next call continues; the event keeps its id.
 * @returns a function to call after each transition, and every hour: the next count has the transitions right after a count.
 */
export const createOutageCheck = ({
  circuits,
  outages,
  connectedOrganizations,
  recorder,
  clock,
}: OutageDependencies): (() => Promise<void>) => {
  /** Epoch ms. Until then no call reads the stored outage, because the circuits were just counted. */
  let countedUntil = Number.NEGATIVE_INFINITY;

  const record = async (outage: Outage, open: number, organizations: number): Promise<void> => {
    writeLog("error", "Half or more of all circuits opened by themselves", {
      alarm: "system_outage",
      open,
      organizations,
    });
    await recorder.record(
      {
        eventType: "SYSTEM_OUTAGE",
        category: "system",
        riskLevel: "CRITICAL",
        source: "system",
        resource: "circuits",
        resourceType: "circuit_breaker",
        action: "outage",
        success: false,
        errorMessage: `${open} of ${organizations} circuits opened by themselves.`,
        metadata: { open, organizations },
      },
      { timestamp: outage.since, identity: identityOf("outage", outage.since) },
    );
    await outages.markRecorded(outage, clock());
  };

  const judge = async (notClosed: OpenCircuits, connected: number, stored: Outage | undefined): Promise<void> => {
    const stats = globalStats(connected, notClosed, noCounts);
    const { organizations } = stats;
    writeLog("info", "Circuits opened or closed", { organizations }, { OpenCircuits: stats.open });
    const open = stats.open - notClosed.held;
    const isOutage = connected >= MIN_CONNECTED_ORGANIZATIONS && open * 2 >= organizations;
    if (!isOutage) return stored && outages.end(stored);
    if (stored === undefined) await outages.begin(clock());
    const outage = stored ?? (await outages.read()).outage;
    if (outage !== undefined && !outage.isRecorded) await record(outage, open, organizations);
  };

  return async () => {
    if (clock() < countedUntil) return;
    const { outage, countedAt } = await outages.read();
    const now = clock();
    if (countedAt !== undefined) {
      const nextAt = countedAt + COUNT_INTERVAL_MS;
      countedUntil = now < nextAt ? nextAt : now + COUNT_INTERVAL_MS;
      // Another instance has just counted, or has claimed the count.
      if (now < nextAt || !(await outages.claimCount(now, countedAt))) return;
    }
    const [notClosed, connected] = await Promise.all([circuits.countOpen(clock()), connectedOrganizations()]);
    const areMany = notClosed.open + notClosed.halfOpen >= MANY_CIRCUITS;
    if (areMany && countedAt === undefined) await outages.claimCount(now, undefined);
    await judge(notClosed, connected, outage);
    if (!areMany && countedAt !== undefined) await outages.countAlways(now);
    if (!areMany) countedUntil = Number.NEGATIVE_INFINITY;
  };
};
