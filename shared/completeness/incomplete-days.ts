/**
 * The alert about a day whose sums are unequal: rule `evidence_incomplete`, subject the day. It is raised once, again when other
 * numbers are found, and resolved when the sums are equal again. Mutes never act on it.
 */
import type { Clock } from "../runtime/clock.ts";
import { writeLog } from "../runtime/log.ts";
import { type AlertTrigger, INCOMPLETE_RULE } from "../security/alerts/alert.ts";
import type { AlertPublisher } from "../security/alerts/alert-publisher.ts";
import type { AlertRaisingStore } from "../security/alerts/alert-raising-store.ts";
import type { ResolveCause } from "../security/alerts/alert-resolver.ts";
import { dayName } from "../terms/hours.ts";
import { type DaySums, isWhole } from "./day-sums.ts";

type Dependencies = {
  store: Pick<AlertRaisingStore, "raise">;
  publisher: Pick<AlertPublisher, "publish">;
  resolve: ResolveCause;
  now: Clock;
};

export type IncompleteDays = ReturnType<typeof createIncompleteDays>;

export const createIncompleteDays = ({ store, publisher, resolve, now }: Dependencies) => {
  const raise = async (organizationId: string, trigger: AlertTrigger): Promise<void> => {
    const at = now();
    const { alert, change } = await store.raise(organizationId, trigger, at);
    if (change !== undefined) await publisher.publish([{ organizationId, alert, change, at }]);
  };

  return {
    /**
     * Raises or resolves the alert of a day, before its sums are stored: after a crash in between, the same is done again.
     * @param earlier the sums that are stored. @param night the last day that is over, epoch ms.
     * @throws DomainError `store_unavailable`.
     */
    async follow(
      organizationId: string,
      day: number,
      { found, earlier, night }: { found: DaySums; earlier: DaySums | undefined; night: number },
    ): Promise<void> {
      const subject = dayName(day);
      if (isWhole(found)) return resolve(organizationId, { kind: "finding", rule: INCOMPLETE_RULE, subject });
      if (earlier?.problem === found.problem) return;
      const { problem = "", recorded, counted, sealed, archived, fed } = found;
      writeLog("error", "The sums of a day are unequal", { alarm: INCOMPLETE_RULE, organizationId, day: subject });
      const at = now();
      await raise(organizationId, {
        kind: "finding",
        rule: INCOMPLETE_RULE,
        subject,
        title: `The evidence of ${subject} is incomplete`,
        level: "HIGH",
        message: problem,
        occurrence: dayName(night),
        eventIds: [],
        evidence: {
          count: recorded,
          details: { counted, sealed, archived, ...(fed !== undefined && { fed }) },
        },
        firstSeen: at,
        lastSeen: at,
      });
    },
  };
};
