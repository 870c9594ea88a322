import {
  ALERTS_BY_STATUS,
  CONNECTED_ORGANIZATIONS,
  DUE_REPORTS,
  EVENTS_BY_RISK,
  EVENTS_BY_TYPE,
  OPEN_ERASURES,
  OPEN_HOURS,
  SILENCE_RULES,
  UNJUDGED_HOURS,
} from "../../../shared/terms/tables.ts";
import { together } from "../resources/access.ts";
import type { AccessParts } from "./parts.ts";

/** The rights of the functions of detection, reports and erasure, which read the tables of several subjects. */
export const judgingAccess = (parts: AccessParts) => {
  const {
    securityEvents,
    securityRollups,
    securityAlerts,
    circuits,
    connections,
    settings,
    syncRuns,
    records,
    webhookEvents,
  } = parts;
  const {
    detection,
    reports,
    erasures,
    exports,
    exportedFiles,
    mutes,
    notifications,
    previews,
    drills,
    seal,
    raiseAlerts,
    recordSecurityEvents,
    retention,
    syncInterval,
    feed,
    listFeed,
    archive,
  } = parts;
  return {
    "dispatch-detection": together(
      retention,
      syncInterval,
      detection.query(UNJUDGED_HOURS, SILENCE_RULES),
      detection.may("Query", "PutItem"),
      securityRollups.query(OPEN_HOURS),
      connections.query(CONNECTED_ORGANIZATIONS),
      syncRuns.may("BatchGetItem"),
    ),
    "detect-organization": together(
      raiseAlerts,
      syncInterval,
      detection.may("GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem"),
      securityEvents.may("Query"),
      connections.may("GetItem"),
      circuits.may("GetItem"),
      syncRuns.may("GetItem", "Query"),
      reports.may("PutItem"),
      settings.may("GetItem"),
    ),

    listDetectionRules: settings.may("GetItem"),
    /** An alert that is resolved moves to another key. */
    changeDetectionRule: together(
      retention,
      settings.may("GetItem", "PutItem", "UpdateItem"),
      securityAlerts.may("GetItem", "PutItem", "DeleteItem"),
    ),

    listCustomRules: detection.may("Query"),
    getCustomRule: detection.may("GetItem"),
    createCustomRule: detection.may("GetItem", "PutItem", "UpdateItem"),
    changeCustomRule: detection.may("GetItem", "PutItem", "UpdateItem"),
    deleteCustomRule: detection.may("GetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"),

    /** To count the events that it would read. */
    startPreview: together(
      retention,
      previews.may("GetItem", "PutItem", "UpdateItem"),
      detection.may("GetItem", "Query"),
      securityRollups.may("Query"),
      securityEvents.may("Query"),
    ),
    getPreview: previews.may("GetItem"),
    "run-preview": together(
      retention,
      syncInterval,
      previews.may("GetItem", "PutItem", "UpdateItem", "DeleteItem"),
      detection.may("Query"),
      securityEvents.may("Query"),
      securityAlerts.query(ALERTS_BY_STATUS),
      connections.may("GetItem"),
      syncRuns.may("Query"),
      settings.may("GetItem"),
      mutes.may("Query"),
      notifications.may("Query"),
    ),

    listReports: together(reports.may("Query"), retention),
    getReport: together(reports.may("GetItem"), retention),
    reviewReport: together(reports.may("GetItem", "PutItem"), retention, seal),
    createReportLink: together(reports.may("GetItem", "PutItem"), retention, seal),
    /** Includes reading the report. */
    openReportLink: together(reports.may("GetItem", "BatchGetItem"), retention, seal),
    "dispatch-reports": together(
      reports.query(DUE_REPORTS),
      reports.may("GetItem", "BatchGetItem", "PutItem"),
      connections.query(CONNECTED_ORGANIZATIONS),
    ),
    "make-reports": together(
      retention,
      reports.may("GetItem", "PutItem", "DeleteItem", "ConditionCheckItem"),
      securityEvents.may("Query", "BatchGetItem"),
      securityEvents.query(EVENTS_BY_RISK, EVENTS_BY_TYPE),
      securityRollups.may("Query"),
      securityAlerts.query(ALERTS_BY_STATUS),
      syncRuns.may("GetItem", "Query"),
      connections.may("GetItem"),
      circuits.may("GetItem"),
      erasures.may("Query"),
      mutes.may("Query"),
      settings.may("GetItem"),
    ),

    requestErasure: erasures.may("GetItem", "PutItem", "UpdateItem"),
    listErasures: erasures.may("Query"),
    "resume-erasures": together(erasures.query(OPEN_ERASURES), erasures.may("GetItem")),
    /** To erase all data of an organization except its plants. It decrypts no secret. */
    "run-erasure": together(
      recordSecurityEvents,
      feed("DeleteObject"),
      listFeed,
      archive("GetObject", "PutObject"),
      securityRollups.may("DeleteItem"),
      ...[records, webhookEvents, securityRollups].map((table) => table.may("Query", "BatchWriteItem")),
      ...[securityAlerts, detection, exports].map((table) => table.may("Query", "BatchWriteItem", "UpdateItem")),
      securityAlerts.may("BatchGetItem", "GetItem", "PutItem", "DeleteItem"),
      exportedFiles.may("DeleteObject", "AbortMultipartUpload"),
      exportedFiles.list(),
      notifications.may("Query", "BatchWriteItem", "UpdateItem", "DeleteItem"),
      mutes.may("Query", "BatchWriteItem", "UpdateItem", "DeleteItem"),
      previews.may("Query", "BatchWriteItem"),
      drills.may("Query", "BatchWriteItem", "UpdateItem"),
      syncRuns.may("Query", "BatchWriteItem", "UpdateItem", "GetItem", "PutItem"),
      reports.may("Query", "UpdateItem", "PutItem", "DeleteItem"),
      securityEvents.may("Query", "BatchGetItem", "UpdateItem"),
      erasures.may("Query", "UpdateItem"),
      ...[connections, circuits, settings].map((table) => table.may("GetItem", "UpdateItem")),
      settings.may("PutItem"),
    ),
  };
};
