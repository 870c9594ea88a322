/**
 * Escalation: an alert of which a destination was notified, and which no user acknowledges in time, goes to another
 * destination once. Pure. docs/notifications.md, "Escalation".
 *
 *     dispatcher:  notifies the destination ── sends a message that waits
 *     sender:                                       in time: publishes EscalationDue
 *     dispatcher:                                       reads the alert ── open: delivers to the other destination
 *
 * The sender talks to hosts that users chose, so it reads no alert itself.
 */
import * as z from "zod/mini";
import type { SecurityAlertChanged } from "../security/alerts/alert-publisher.ts";
import { eventId, identityOf } from "../security/event-id.ts";
import { MINUTE_MS } from "../terms/hours.ts";
import type { DeliveryMessage } from "./delivery.ts";
import type { Destination } from "./destination.ts";

export const ESCALATION_DUE_TYPE = "EscalationDue";

/** `from`: the destination that was notified; `to`: where the alert goes. */
export const EscalationDue = z.object({
  version: z.literal(1),
  organizationId: z.string(),
  alertId: z.string(),
  from: z.string(),
  to: z.string(),
});
export type EscalationDue = z.output<typeof EscalationDue>;

type Alert = Pick<SecurityAlertChanged["alert"], "id" | "level" | "status" | "drill">;

/** Whether the destination's alert goes to `escalate.to` if it stays as it is. A drill's went to all destinations. */
export const isEscalating = ({ escalate }: Pick<Destination, "escalate">, { level, status, drill }: Alert): boolean =>
  status === "open" && drill !== true && (escalate?.levels.includes(level) ?? false);

/** The id of the delivery of an escalated alert: one for each alert and destination. @param at epoch ms. */
export const escalationId = (destinationId: string, alertId: string, at: number): string =>
  eventId(at, identityOf("escalation", destinationId, alertId));

/**
 * The message that waits until an alert must be escalated; undefined if it must not.
 * @param now when the destination was notified, epoch ms.
 */
export const escalationMessage = (
  organizationId: string,
  { id: destinationId, escalate }: Pick<Destination, "id" | "escalate">,
  alert: Alert,
  now: number,
): (DeliveryMessage & { escalates: { dueAt: number } }) | undefined => {
  if (escalate === undefined || !isEscalating({ escalate }, alert)) return undefined;
  const escalates = { alertId: alert.id, to: escalate.to, dueAt: now + escalate.afterMinutes * MINUTE_MS };
  return { organizationId, destinationId, deliveryId: escalationId(escalate.to, alert.id, now), escalates };
};
