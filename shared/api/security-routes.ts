/** The endpoints of security events and alerts. Spec: integration security monitoring, "Endpoints". */
import * as z from "zod/mini";
import { defineRoute, type Route } from "../http/route.ts";
import { Alert, AlertPosition } from "../security/alerts/alert.ts";
import { AlertAction, AlertActionResult, AlertQuery } from "../security/monitoring/alert-request.ts";
import { SecurityQuery, SecurityReport } from "../security/monitoring/security-report.ts";

export const securityRoutes = {
  listSecurityEvents: defineRoute({
    method: "GET",
    path: "/api/integrations/provider/security",
    permission: "security:read",
    tag: "security",
    summary: "Read security events and monitoring data",
    description:
      "Returns the organization's security events, newest first, from `since` on (24 hours ago by default), with statistics of the whole selection. Filters combine. With `userId` or `processed`, the selection may be too large to be counted; then the answer is 400 and the message requests a later `since`.",
    request: { query: SecurityQuery },
    paging: { defaultLimit: 50, maxLimit: 1000, position: z.object({ id: z.string() }), field: "events" },
    success: { status: 200, description: "A page of events, with statistics and findings.", body: SecurityReport },
    failures: [],
  }),
  listSecurityAlerts: defineRoute({
    method: "GET",
    path: "/api/integrations/provider/security/alert",
    permission: "security:read",
    tag: "security",
    summary: "List alerts",
    description: "Returns the organization's alerts, newest `firstSeen` first.",
    request: { query: AlertQuery },
    paging: { defaultLimit: 50, maxLimit: 1000, position: AlertPosition },
    success: { status: 200, description: "A page of alerts.", body: z.array(Alert) },
    failures: [],
  }),
  changeSecurityAlerts: defineRoute({
    method: "POST",
    path: "/api/integrations/provider/security/alert",
    permission: "security:manage",
    tag: "security",
    summary: "Manage alerts and the processing of events",
    description:
      "Marks events as processed, generates an alert by hand, acknowledges or resolves alerts. The answer has the outcome for each id; ids of other organizations count as not found. Repeating an action changes nothing, except that each `generate_alert` makes a new alert.",
    request: { body: AlertAction },
    success: { status: 200, description: "The outcome, by action.", body: AlertActionResult },
    failures: [],
  }),
} as const satisfies Record<string, Route>;
