import {
  ALERTS_BY_STATUS,
  EVENTS_BY_CATEGORY,
  EVENTS_BY_RISK,
  EVENTS_BY_TYPE,
  EVENTS_BY_USER,
  OPEN_EVENTS,
  OPEN_EXPORTS,
  OPEN_PREVIEWS,
  RECORDS_BY_CREATION,
} from "../../../shared/terms/tables.ts";
import { together } from "../resources/access.ts";
import type { AccessParts } from "./parts.ts";

/** The rights of the functions of exports. Only the worker reads what is exported, and it decrypts no secret. */
export const exportAccess = (parts: AccessParts) => {
  const {
    exports,
    exportedFiles,
    securityEvents,
    records,
    securityAlerts,
    reports,
    settings,
    notifications,
    detection,
    mutes,
    previews,
    archive,
    evidence,
    erasures,
    securityRollups,
    readCheckpoints,
    readCheckpointKeys,
    retention,
    recordSecurityEvents,
  } = parts;

  const startExport = exports.may("GetItem", "PutItem", "UpdateItem");

  return {
    /** The archive says how far back exports reach. */
    startEventExport: together(startExport, archive(), evidence.may("GetItem")),
    startOrganizationExport: together(startExport, archive()),
    listExports: exports.may("Query"),
    /** A link has the rights of the function that makes it. */
    getExport: together(exports.may("GetItem"), exportedFiles.may("GetObject")),
    /** It finds previews without a worker, too. */
    "resume-exports": together(
      exports.query(OPEN_EXPORTS),
      exports.may("GetItem"),
      previews.query(OPEN_PREVIEWS),
      previews.may("GetItem"),
    ),

    /** To read what is exported, and to write, read back and delete the files. */
    "run-export": together(
      recordSecurityEvents,
      retention,
      exports.may("UpdateItem"),
      exportedFiles.may("PutObject", "GetObject", "DeleteObject", "AbortMultipartUpload"),
      exportedFiles.list(),
      archive("GetObject"),
      // Of an export with proof.
      evidence.may("GetItem", "Query"),
      securityRollups.may("Query"),
      erasures.may("Query"),
      readCheckpoints,
      readCheckpointKeys,
      securityEvents.may("Query", "BatchGetItem"),
      securityEvents.query(EVENTS_BY_USER, EVENTS_BY_RISK, EVENTS_BY_TYPE, EVENTS_BY_CATEGORY, OPEN_EVENTS),
      records.query(RECORDS_BY_CREATION),
      securityAlerts.query(ALERTS_BY_STATUS),
      securityAlerts.may("Query"),
      reports.may("Query", "GetItem"),
      settings.may("GetItem"),
      notifications.may("Query"),
      detection.may("Query"),
      mutes.may("Query"),
    ),
  };
};
