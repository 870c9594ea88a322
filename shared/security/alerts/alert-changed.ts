/**
 * What subscribers of the event bus get: every alert, and every change of one.
 * Docs: docs/security-events.md, "Alerts and their events".
 */
import * as z from "zod/mini";
import type { BusEvent } from "../../runtime/event-bus.ts";
import { EVENT_SOURCE } from "../event-source.ts";
import { Alert, alertChanges, type ChangedAlert } from "./alert.ts";

/** The detail-type that rules match. */
export const ALERT_EVENT_TYPE = "SecurityAlertChanged";

/**
 * The detail of an event. Delivered at least once and in no order: the alert's id and `revision` say which change it
 * is, and of two the higher revision is the later. A detail of the same version only ever gains fields.
 */
export const SecurityAlertChanged = z.object({
  version: z.literal(1),
  change: z.enum(alertChanges),
  /** Epoch milliseconds. */
  at: z.number(),
  /** Absent where the alert is of no organization, such as a failure of the whole system. */
  organizationId: z.optional(z.string()),
  /** As it was after the change. */
  alert: Alert,
});
export type SecurityAlertChanged = z.output<typeof SecurityAlertChanged>;

/** A change as an event of the bus. */
export const alertEvent = ({ change, at, organizationId, alert }: ChangedAlert): BusEvent => ({
  source: EVENT_SOURCE,
  detailType: ALERT_EVENT_TYPE,
  detail: {
    version: 1,
    change,
    at,
    ...(organizationId !== undefined && { organizationId }),
    alert,
  } satisfies SecurityAlertChanged,
});
