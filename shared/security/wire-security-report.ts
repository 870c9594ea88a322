/** The stores that the security report is read from, of a deployed function. */
import { systemClock } from "../runtime/clock.ts";
import { readConfig } from "../runtime/config.ts";
import { documentClient } from "../runtime/document-client.ts";
import { createAlertStore } from "./alerts/alert-store.ts";
import { suspiciousActivityOf } from "./alerts/finding.ts";
import { createSecurityEventStore } from "./security-event-store.ts";
import type { SecurityReportParts } from "./security-report.ts";
import { countSelection } from "./statistics/count-selection.ts";
import { createEventCountStore } from "./statistics/event-count-store.ts";
import { createOpenHourStore } from "./statistics/open-hour-store.ts";
import { createRollupStore } from "./statistics/rollup-store.ts";
import { createSelectionCountStore } from "./statistics/selection-count-store.ts";

/** @throws Error at cold start where the environment lacks a variable. */
export const wireSecurityReport = (): SecurityReportParts => {
  const config = readConfig([
    "SECURITY_EVENTS_TABLE_NAME",
    "SECURITY_ROLLUPS_TABLE_NAME",
    "SECURITY_ALERTS_TABLE_NAME",
    "RETENTION_DAYS",
  ]);
  const counted = {
    openHours: createOpenHourStore(documentClient, config.SECURITY_ROLLUPS_TABLE_NAME, systemClock),
    rollups: createRollupStore(documentClient, config.SECURITY_ROLLUPS_TABLE_NAME),
    events: createEventCountStore(documentClient, config.SECURITY_EVENTS_TABLE_NAME),
    selections: createSelectionCountStore(documentClient, config.SECURITY_EVENTS_TABLE_NAME),
  };
  const alerts = createAlertStore(documentClient, config.SECURITY_ALERTS_TABLE_NAME, {
    retentionDays: config.RETENTION_DAYS,
  });
  return {
    events: createSecurityEventStore(documentClient, config.SECURITY_EVENTS_TABLE_NAME),
    statistics: { count: (selection, now) => countSelection(counted, selection, now) },
    findings: {
      listOpen: async (organizationId, now) =>
        (await alerts.listUnresolvedFindings(organizationId, now)).map(suspiciousActivityOf),
    },
  };
};
