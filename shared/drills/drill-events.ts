/** The events of a drill: the bus event that requests a worker, and the security event of its request. */
import * as z from "zod/mini";
import type { BusEvent } from "../runtime/event-bus.ts";
import { identityOf } from "../security/event-id.ts";
import type { NewSecurityEvent } from "../security/security-event.ts";
import { EVENT_SOURCE } from "../terms/event-source.ts";
import { requesterFields } from "../terms/requester.ts";
import type { DrillOrigin } from "./drill-item.ts";

export const DRILL_REQUESTED_TYPE = "DrillRequested";

/** What starts a run: a drill that needs a worker; or the schedule, with an empty detail. */
export const DrillRun = z.object({
  version: z.optional(z.literal(1)),
  organizationId: z.optional(z.string()),
  drillId: z.optional(z.string()),
});
export type DrillRun = z.output<typeof DrillRun>;

/** If it is delivered twice or too late, it changes nothing. */
export const drillRequested = (one: { organizationId: string; drillId: string }): BusEvent & { detail: DrillRun } => ({
  source: EVENT_SOURCE,
  detailType: DRILL_REQUESTED_TYPE,
  detail: { version: 1, ...one },
});

/** DRILL_STARTED, by the requester. It is an ordinary event: only the drill itself is labelled. */
export const drillStartedEvent = (organizationId: string, drillId: string, origin: DrillOrigin): NewSecurityEvent => ({
  eventType: "DRILL_STARTED",
  category: "compliance",
  riskLevel: "LOW",
  source: "user",
  organizationId,
  ...requesterFields(origin),
  resource: drillId,
  resourceType: "security_event",
  action: "start_drill",
  success: true,
  metadata: { drillId, requestId: origin.requestId },
});

/** Recorded again, it is the same event. @param startedAt epoch ms. */
export const momentOfStart = (drillId: string, startedAt: number) => ({
  timestamp: startedAt,
  identity: identityOf("drill_started", drillId),
});
