/** Sends an alert that no user has acknowledged in time to the destination that another one names (escalation.ts). */
import type { Alert } from "../security/alerts/alert.ts";
import type { DueNotification } from "./decide-notice.ts";
import type { DeliveryRef } from "./delivery.ts";
import type { Destination } from "./destination.ts";
import { type EscalationDue, isEscalating } from "./escalation.ts";
import type { NoticeStore } from "./notice-store.ts";

type Dependencies = {
  destinations: { list(organizationId: string): Promise<readonly Destination[]> };
  notices: Pick<NoticeStore, "read">;
  alerts: { find(organizationId: string, alertId: string): Promise<Alert | undefined> };
  /** Whether a mute acts on the alert now. */
  isMuted(organizationId: string, alert: Alert): Promise<boolean>;
  /** Sends the message of a stored delivery. */
  send(organizationId: string, ref: DeliveryRef): Promise<void>;
  /** Claims a notification and stores its delivery; false if another event has claimed it before. */
  claim(organizationId: string, alert: Alert, destination: Destination, due: DueNotification): Promise<boolean>;
};

/** @throws Error or DomainError; the event may then be dispatched again. */
export const createEscalationDispatcher =
  ({ destinations, notices, alerts, isMuted, send, claim }: Dependencies) =>
  async ({ organizationId, alertId, from, to }: EscalationDue): Promise<void> => {
    const [alert, all] = await Promise.all([alerts.find(organizationId, alertId), destinations.list(organizationId)]);
    const source = all.find(({ id }) => id === from);
    const target = all.find(({ id, status }) => id === to && status === "active");
    if (alert === undefined || target === undefined || source?.escalate?.to !== to) return;
    const { unacknowledged } = await notices.read(organizationId, to, alertId);
    if (unacknowledged?.deliveryId !== undefined) {
      // An earlier delivery of this event, or another destination, has claimed it, and may have ended before its message.
      await send(organizationId, { destinationId: to, deliveryId: unacknowledged.deliveryId });
    } else if (isEscalating(source, alert) && !(await isMuted(organizationId, alert))) {
      const { afterMinutes } = source.escalate;
      await claim(organizationId, alert, target, { claim: "unacknowledged", change: "escalated", afterMinutes });
    }
  };
