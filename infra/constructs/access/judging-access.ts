import {
  ALERTS_BY_STATUS,
  CONNECTED_ORGANIZATIONS,
  DUE_REPORTS,
  EVENTS_BY_RISK,
  EVENTS_BY_TYPE,
  OPEN_ERASURES,
  OPEN_HOURS,
  UNJUDGED_HOURS,
} from "../../../shared/terms/indexes.ts";
import { together } from "../resources/access.ts";
import type { AccessParts } from "./parts.ts";

/** Rights for detection, reports and erasure, which read the tables of several subjects. */
export const judgingAccess = (parts: AccessParts) => {
  const { events, rollups, alerts, circuits, connections, settings, syncRuns, records, webhookEvents } = parts;
  const {
    detection,
    reports,
    erasures,
    exports,
    exportedFiles,
    notifications,
    sealForClients,
    publish,
    raiseAlerts,
    recordSecurityEvents,
    retention,
    syncInterval,
    feed,
    listFeed,
  } = parts;
  return {
    dispatchDetection: together(
      publish,
      retention,
      syncInterval,
      detection.query(UNJUDGED_HOURS),
      detection.may("PutItem"),
      rollups.query(OPEN_HOURS),
      connections.query(CONNECTED_ORGANIZATIONS),
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
    createReportLink: together(reports.may("GetItem", "PutItem"), retention, sealForClients),
    /** Includes reading the report. */
    openReportLink: together(reports.may("GetItem", "BatchGetItem"), retention, sealForClients),
    dispatchReports: together(
      publish,
      reports.query(DUE_REPORTS),
      reports.may("GetItem", "PutItem"),
      connections.query(CONNECTED_ORGANIZATIONS),
    ),
    makeReports: together(
      publish,
      retention,
      reports.may("GetItem", "PutItem", "DeleteItem", "ConditionCheckItem"),
      events.may("Query", "BatchGetItem"),
      events.query(EVENTS_BY_RISK, EVENTS_BY_TYPE),
      rollups.may("Query"),
      alerts.query(ALERTS_BY_STATUS),
      syncRuns.may("GetItem", "Query"),
      connections.may("GetItem"),
      circuits.may("GetItem"),
      erasures.may("Query"),
    ),

    requestErasure: together(publish, erasures.may("GetItem", "PutItem", "UpdateItem")),
    listErasures: erasures.may("Query"),
    resumeErasures: together(publish, erasures.query(OPEN_ERASURES), erasures.may("GetItem")),
    /** To erase all data of an organization except its plants. It decrypts no secret. */
    erase: together(
      recordSecurityEvents,
      feed("DeleteObject"),
      listFeed,
      rollups.may("DeleteItem"),
      ...[records, webhookEvents, rollups].map((table) => table.may("Query", "BatchWriteItem")),
      ...[alerts, detection, exports].map((table) => table.may("Query", "BatchWriteItem", "UpdateItem")),
      alerts.may("BatchGetItem"),
      exportedFiles.may("DeleteObject", "AbortMultipartUpload"),
      exportedFiles.list(),
      notifications.may("Query", "BatchWriteItem", "UpdateItem", "DeleteItem"),
      syncRuns.may("Query", "BatchWriteItem", "UpdateItem", "GetItem", "PutItem"),
      reports.may("Query", "UpdateItem", "PutItem", "DeleteItem"),
      events.may("Query", "BatchGetItem", "UpdateItem"),
      erasures.may("Query", "UpdateItem"),
      ...[connections, circuits, settings].map((table) => table.may("GetItem", "UpdateItem")),
    ),
  };
};
