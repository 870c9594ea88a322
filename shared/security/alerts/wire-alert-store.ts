import { readConfig } from "../../runtime/config.ts";
import { documentClient } from "../../runtime/document-client.ts";
import { createAlertStore } from "./alert-store.ts";

/** The alerts of a deployed function. @throws Error at cold start where the environment lacks a variable. */
export const wireAlertStore = () => {
  const config = readConfig(["SECURITY_ALERTS_TABLE_NAME", "RETENTION_DAYS"]);
  return createAlertStore(documentClient, config.SECURITY_ALERTS_TABLE_NAME, { retentionDays: config.RETENTION_DAYS });
};
