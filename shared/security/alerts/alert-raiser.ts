/** Raises the alerts of events and findings, and publishes what changed. */
import type { Clock } from "../../runtime/clock.ts";
import type { SecurityEvent } from "../security-event.ts";
import type { Alert } from "./alert.ts";
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

  /** The alert of an event of no organization: it is on the bus and nowhere else. */
  const unownedAlert = (event: SecurityEvent, at: number): Alert => {
    const { rule, subject, title, level, message, eventIds, firstSeen, lastSeen } = raisingOfEvent(event);
    return {
      id: alertId(alertHash("event", rule, subject), at, random()),
      ...{ title, level, rule, subject, status: "open", count: 1, firstSeen, lastSeen },
      eventIds: [...eventIds],
      ...(message !== undefined && { message }),
      revision: 1,
    };
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
      const unpublished = await publisher.publish([{ alert: unownedAlert(event, at), change: "raised", at }]);
      if (unpublished.length > 0) throw new Error("The event bus did not take the alert of no organization.");
    },

    /**
     * Raises the alert of a finding, whatever the threshold; for the same finding again it does nothing.
     * @throws DomainError `store_unavailable`.
     */
    raiseForFinding: (organizationId: string, finding: Finding): Promise<Alert> =>
      raise(organizationId, raisingOfFinding(finding)),
  };
};
