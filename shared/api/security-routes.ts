/** The endpoints of security events and alerts. Spec: integration security monitoring, "Endpoints". */
import * as z from "zod/mini";
import { Drill, DrillRequest, StartedDrill } from "../drills/drill.ts";
import { defineRoutes, idOf, PositionById, pagesOf } from "../http/route.ts";
import { ALERT_PATH, Alert, AlertPosition } from "../security/alerts/alert.ts";
import { AlertWithHistory } from "../security/alerts/alert-history.ts";
import { AlertAction, AlertActionResult, AlertQuery } from "../security/monitoring/alert-request.ts";
import { SecurityEventWithAlert, SecurityQuery, SecurityReport } from "../security/monitoring/security-report.ts";
import { EVENT_PATH } from "../security/security-event.ts";

const DRILLS = "/api/integrations/provider/security/drill";

export const securityRoutes = defineRoutes("security", {
  listSecurityEvents: {
    method: "GET",
    path: "/api/integrations/provider/security",
    permission: "security:read",
    summary: "Read security events and monitoring data",
    description:
      "Returns the organization's security events, newest first, from `since` on (24 hours ago by default) and before `until`, with statistics of the whole selection, on request also by hour or day. Filters combine. With `userId`, `processed`, `success`, `source` or `ipAddress`, the selection may be too large to be counted; then the answer is 400 and the message names what to narrow.",
    request: { query: SecurityQuery },
    paging: { ...pagesOf(PositionById), field: "events" },
    success: { status: 200, description: "A page of events, with statistics and findings.", body: SecurityReport },
  },
  getSecurityEvent: {
    method: "GET",
    path: EVENT_PATH,
    permission: "security:read",
    summary: "Read a security event",
    description:
      "Returns one security event, and the id of the unresolved alert that it raised. Alerts and findings name their events.",
    request: { params: idOf("security event", "event_not_found") },
    success: { status: 200, description: "The event.", body: SecurityEventWithAlert },
    failures: ["event_not_found"],
  },
  listSecurityAlerts: {
    method: "GET",
    path: "/api/integrations/provider/security/alert",
    permission: "security:read",
    summary: "List alerts",
    description:
      "Returns the organization's alerts, newest `firstSeen` first. Filters combine. With `assignee`, a page may be short or empty and still have a next one.",
    request: { query: AlertQuery },
    paging: pagesOf(AlertPosition),
    success: { status: 200, description: "A page of alerts.", body: z.array(Alert) },
  },
  getSecurityAlert: {
    method: "GET",
    path: ALERT_PATH,
    permission: "security:read",
    summary: "Read an alert",
    description:
      "Returns one alert with its history: when it was raised, repeated, acknowledged, resolved and reopened, each assignment and each comment.",
    request: { params: idOf("alert", "alert_not_found") },
    success: { status: 200, description: "The alert.", body: AlertWithHistory },
    failures: ["alert_not_found"],
  },
  changeSecurityAlerts: {
    method: "POST",
    path: "/api/integrations/provider/security/alert",
    permission: "security:manage",
    summary: "Manage alerts and the processing of events",
    description:
      "Marks events as processed, generates an alert by hand, acknowledges, assigns, resolves or reopens alerts, or comments on them. The answer has the outcome for each id; ids of other organizations count as not found. Repeating an action changes nothing, except that without an `Idempotency-Key` each `generate_alert` makes a new alert, and each `comment` a new comment.",
    request: { body: AlertAction },
    isIdempotent: true,
    success: { status: 200, description: "The outcome, by action.", body: AlertActionResult },
    failures: ["idempotency_conflict", "alert_superseded"],
  },
  startDrill: {
    method: "POST",
    path: DRILLS,
    permission: "security:manage",
    summary: "Start a fire drill of the alarms",
    description:
      "Records a labelled brute force, has the rule judge it, raises an alert, and notifies every active destination at once, past filters, quiet hours, digests, storms and mutes. It is in no statistic, export or report, but reports name the last drill. One drill of an organization runs at a time; 10 may begin in a UTC day, failed ones included.",
    request: { body: DrillRequest },
    isIdempotent: true,
    success: {
      status: 202,
      description: "The drill has started. `GET …/security/drill/{id}` shows its stages.",
      body: StartedDrill,
    },
    failures: ["drill_running", "too_many_drills", "idempotency_conflict"],
  },
  getDrill: {
    method: "GET",
    path: `${DRILLS}/{id}`,
    permission: "security:read",
    summary: "Read a fire drill",
    description:
      "Returns when the drill reached each stage: recorded, judged, alerted, accepted by each destination, acknowledged and by whom. A drill that is not complete after 10 minutes has failed.",
    request: { params: idOf("drill", "drill_not_found") },
    success: { status: 200, description: "The drill.", body: Drill },
    failures: ["drill_not_found"],
  },
});
