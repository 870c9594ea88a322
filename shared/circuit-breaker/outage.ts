/**
 * Half or more of all circuits open is a failure of the whole system: one CRITICAL event for each outage, of no
 * organization. Looked at after each transition, by whoever told of it.
 */
import type { Clock } from "../runtime/clock.ts";
import { writeLog } from "../runtime/log.ts";
import { identityOf } from "../security/event-id.ts";
import type { Recorder } from "../security/recorder.ts";
import { noCounts } from "./circuit.ts";
import { globalStats, overallHealth } from "./circuit-statistics.ts";
import type { CircuitStore } from "./circuit-store.ts";
import type { OutageStore } from "./outage-store.ts";

type Parts = {
  circuits: Pick<CircuitStore, "countOpen">;
  outages: OutageStore;
  connectedOrganizations: () => Promise<number>;
  recorder: Pick<Recorder, "record">;
  clock: Clock;
};

/**
 * Begins, records or ends the outage as the circuits say. Whoever dies in between leaves it to the next transition,
 * and the event has the same id each time, so there is one.
 */
export const createOutageCheck =
  ({ circuits, outages, connectedOrganizations, recorder, clock }: Parts) =>
  async (): Promise<void> => {
    const [notClosed, connected] = await Promise.all([circuits.countOpen(clock()), connectedOrganizations()]);
    const stats = globalStats(connected, notClosed, noCounts);
    const isOutage = overallHealth(stats, noCounts).status === "unhealthy";
    const known = await outages.read();
    if (!isOutage) return known && outages.end(known);
    if (known === undefined) await outages.begin(clock());
    const outage = known ?? (await outages.read());
    if (outage === undefined || outage.isRecorded) return;
    const { organizations, open } = stats;
    writeLog("error", "Half or more of all circuits are open", { alarm: "system_outage", open, organizations });
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
        errorMessage: `${open} of ${organizations} circuits are open.`,
        metadata: { open, organizations },
      },
      { timestamp: outage.since, identity: identityOf("outage", outage.since) },
    );
    await outages.markRecorded(outage, clock());
  };
