import { together } from "../resources/access.ts";
import type { AccessParts } from "./parts.ts";

/** Detection, reports and erasure: what reads across the subjects. */
export const judgingAccess = (parts: AccessParts) => {
  const { events, rollups, alerts, circuits, connections, settings, syncRuns, records, webhookEvents } = parts;
  const { detection, reports, erasures, publish, raiseAlerts, recordSecurityEvents, retention, syncInterval } = parts;
  return {
    dispatchDetection: together(
      publish,
      retention,
      syncInterval,
      detection.query("byUnjudged"),
      detection.may("PutItem"),
      rollups.query("byOpenHour"),
      connections.query("byConnected"),
      syncRuns.may("BatchGetItem"),
    ),
    detect: together(
      raiseAlerts,
      syncInterval,
      detection.may("GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"),
      events.may("Query"),
      connections.may("GetItem"),
      circuits.may("GetItem"),
      syncRuns.may("GetItem", "Query"),
      reports.may("PutItem"),
    ),

    listReports: together(reports.may("Query"), retention),
    readReport: together(reports.may("GetItem"), retention),
    dispatchReports: together(
      publish,
      reports.query("byDue"),
      reports.may("GetItem", "PutItem"),
      connections.query("byConnected"),
    ),
    makeReports: together(
      retention,
      reports.may("GetItem", "PutItem", "DeleteItem", "ConditionCheckItem"),
      events.may("Query", "BatchGetItem"),
      events.query("byRisk", "byType"),
      rollups.may("Query"),
      alerts.query("byStatus"),
      syncRuns.may("GetItem", "Query"),
      connections.may("GetItem"),
      circuits.may("GetItem"),
      erasures.may("Query"),
    ),

    requestErasure: together(publish, erasures.may("GetItem", "PutItem", "UpdateItem")),
    listErasures: erasures.may("Query"),
    resumeErasures: together(publish, erasures.query("byOpen"), erasures.may("GetItem")),
    /** It reaches whatever belongs to an organization, but for its plants, and opens no secret. */
    erase: together(
      recordSecurityEvents,
      ...[records, webhookEvents, rollups].map((table) => table.may("Query", "BatchWriteItem")),
      ...[alerts, detection].map((table) => table.may("Query", "BatchWriteItem", "UpdateItem")),
      syncRuns.may("Query", "BatchWriteItem", "UpdateItem", "GetItem", "PutItem"),
      reports.may("Query", "UpdateItem", "PutItem", "DeleteItem"),
      events.may("Query", "BatchGetItem", "UpdateItem"),
      erasures.may("Query", "UpdateItem"),
      ...[connections, circuits, settings].map((table) => table.may("GetItem", "UpdateItem")),
    ),
  };
};
