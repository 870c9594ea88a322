/** What is stored of reports, in a deployed function. Each throws Error at cold start where the environment lacks a variable. */
import { readConfig } from "../runtime/config.ts";
import { documentClient } from "../runtime/document-client.ts";
import { createReportDueStore } from "./report-due-store.ts";
import { createReportListStore } from "./report-list-store.ts";
import { createReportStore } from "./report-store.ts";

const tableName = () => readConfig(["REPORTS_TABLE_NAME"]).REPORTS_TABLE_NAME;

export const wireReportStore = () =>
  createReportStore(documentClient, tableName(), { retentionDays: readConfig(["RETENTION_DAYS"]).RETENTION_DAYS });

export const wireReportListStore = () => createReportListStore(documentClient, tableName());

export const wireReportDueStore = () => createReportDueStore(documentClient, tableName());
