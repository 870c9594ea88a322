import { tableVariable } from "../terms/tables.ts";

/** The recorder's variables. A function that loads the recorder on demand requires them at its cold start, without its code. */
export const RECORDER_VARIABLES = [
  tableVariable("securityEvents"),
  tableVariable("securityRollups"),
  tableVariable("securityAlerts"),
  tableVariable("settings"),
  "EVENT_BUS_NAME",
  "RETENTION_DAYS",
  "SECURITY_LOG_LEVEL",
  "ALERT_THRESHOLD",
] as const;
