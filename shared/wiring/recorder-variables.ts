/** What the recorder of a deployed function reads; a function that loads it later asks for them at its cold start. */
export const RECORDER_VARIABLES = [
  "SECURITY_EVENTS_TABLE_NAME",
  "SECURITY_ROLLUPS_TABLE_NAME",
  "SECURITY_ALERTS_TABLE_NAME",
  "EVENT_BUS_NAME",
  "RETENTION_DAYS",
  "SECURITY_LOG_LEVEL",
  "ALERT_THRESHOLD",
] as const;
