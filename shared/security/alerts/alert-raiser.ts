/** Raises the alerts of events and findings, and publishes what changed. */
import type { Clock } from "../../runtime/clock.ts";
import { identityOf } from "../event-id.ts";
import type { SecurityEvent } from "../security-event.ts";
import { Alert } from "./alert.ts";
import { alertHash, alertId } from "./alert-key.ts";
import type { AlertPublisher } from "./alert-publisher.ts";
import { type Raising, raisingOfEvent } from "./alert-raising.ts";
import type { AlertRaisingStore } from "./alert-raising-store.ts";
import { type Finding, raisingOfFinding } from "./finding.ts";

export type AlertRaiserParts = {
  store: Pick<AlertRaisingStore, "raise">;
  publisher: Pick<AlertPublisher, "publish">;
  now: Clock;
  /** 16 bytes of randomness. */
  random: () => Uint8Array;
};

export type AlertRaiser = ReturnType<typeof createAlertRaiser>;

export const createAlertRaiser = ({ store, publisher, now, random }: AlertRaiserParts) => {
  const raise = async (organizationId: string, raising: Raising): Promise<Alert> => {
    const at = now();
    const { alert, change } = await store.raise(organizationId, raising, at);
    if (change !== undefined) await publisher.publish([{ organizationId, alert, change, at }]);
    return alert;
  };

  /** Publishes the alert of a reason of no organization: it is on the bus and nowhere else. */
  const publishUnowned = async (raising: Raising, id: string, at: number): Promise<Alert> => {
    const { rule, subject, title, level, message, eventIds, evidence, firstSeen, lastSeen } = raising;
    const alert = Alert.parse({
      ...{ id, title, level, rule, subject, status: "open", count: 1, firstSeen, lastSeen },
      eventIds: [...eventIds],
      ...(message !== undefined && { message }),
      ...(evidence !== undefined && { evidence: { ...Object(evidence.details), count: evidence.count } }),
      revision: 1,
    });
    const unpublished = await publisher.publish([{ alert, change: "raised", at }]);
    if (unpublished.length > 0) throw new Error("The event bus did not take the alert of no organization.");
    return alert;
  };

  return {
    /**
     * Raises the alert of an event that reached the threshold; for the same event again it does nothing.
     * @throws DomainError `store_unavailable`, or Error where the alert is of no organization and the bus did not take
     *   it: in both cases there is no alert, and it may be tried again.
     */
    async raiseForEvent(event: SecurityEvent): Promise<void> {
      if (event.organizationId !== undefined) {
        await raise(event.organizationId, raisingOfEvent(event));
        return;
      }
      const at = now();
      const raising = raisingOfEvent(event);
      await publishUnowned(raising, alertId(alertHash(raising.kind, raising.rule, raising.subject), at, random()), at);
    },

    /**
     * Raises the alert of a finding, whatever the threshold; for the same finding again it does nothing. One of no
     * organization is published again, under the same id.
     * @throws DomainError `store_unavailable`, or Error where it is of no organization and the bus did not take it.
     */
    async raiseForFinding(organizationId: string | undefined, finding: Finding): Promise<Alert> {
      const raising = raisingOfFinding(finding);
      if (organizationId !== undefined) return raise(organizationId, raising);
      const { kind, rule, subject, occurrence, lastSeen } = raising;
      const identity = identityOf("finding", rule, subject, occurrence);
      return publishUnowned(raising, alertId(alertHash(kind, rule, subject), lastSeen, identity), now());
    },
  };
};
