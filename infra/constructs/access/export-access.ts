import {
  ALERTS_BY_STATUS,
  EVENTS_BY_CATEGORY,
  EVENTS_BY_RISK,
  EVENTS_BY_TYPE,
  EVENTS_BY_USER,
  OPEN_EVENTS,
  OPEN_EXPORTS,
  RECORDS_BY_CREATION,
} from "../../../shared/terms/indexes.ts";
import { together } from "../resources/access.ts";
import type { AccessParts } from "./parts.ts";

/** Rights for exports. Only the worker reads what is exported, and it decrypts no secret. */
export const exportAccess = (parts: AccessParts) => {
  const {
    exports,
    exportedFiles,
    events,
    records,
    alerts,
    reports,
    settings,
    notifications,
    publish,
    retention,
    recordSecurityEvents,
  } = parts;

  return {
    startExport: together(publish, exports.may("GetItem", "PutItem", "UpdateItem")),
    listExports: exports.may("Query"),
    /** A link has the rights of the function that makes it. */
    readExport: together(exports.may("GetItem"), exportedFiles.may("GetObject")),
    resumeExports: together(publish, exports.query(OPEN_EXPORTS), exports.may("GetItem")),

    /** To read what is exported, and to write, read back and delete the files. */
    runExports: together(
      recordSecurityEvents,
      retention,
      exports.may("UpdateItem"),
      exportedFiles.may("PutObject", "GetObject", "DeleteObject", "AbortMultipartUpload"),
      exportedFiles.list(),
      events.may("Query", "BatchGetItem"),
      events.query(EVENTS_BY_USER, EVENTS_BY_RISK, EVENTS_BY_TYPE, EVENTS_BY_CATEGORY, OPEN_EVENTS),
      records.query(RECORDS_BY_CREATION),
      alerts.query(ALERTS_BY_STATUS),
      alerts.may("Query"),
      reports.may("Query", "GetItem"),
      settings.may("GetItem"),
      notifications.may("Query"),
    ),
  };
};
