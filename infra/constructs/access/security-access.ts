import {
  ALERT_OUTBOX,
  ALERTS_BY_STATUS,
  EVENTS_BY_CATEGORY,
  EVENTS_BY_RISK,
  EVENTS_BY_TYPE,
  EVENTS_BY_USER,
  OPEN_EVENTS,
  OPEN_HOURS,
} from "../../../shared/terms/indexes.ts";
import { together, variables } from "../resources/access.ts";
import type { AccessParts } from "./parts.ts";

/** Statistics read rollups eventually consistent: an hour stays open until every read shows its counts. */
const ROLLUP_SETTLE_MS = 3_000;

/** Security events, their statistics, and alerts. */
export const securityAccess = (parts: AccessParts) => {
  const { events, rollups, alerts, detection, erasures, publish, retention, recordSecurityEvents } = parts;
  return {
    readSecurityEvents: together(
      events.may("Query", "BatchGetItem"),
      events.query(EVENTS_BY_USER, EVENTS_BY_RISK, EVENTS_BY_TYPE, EVENTS_BY_CATEGORY, OPEN_EVENTS),
      rollups.may("Query"),
      alerts.may("Query"),
    ),

    listSecurityAlerts: together(alerts.query(ALERTS_BY_STATUS), retention),

    /**
     * To mark events; to generate, acknowledge and resolve alerts. A resolved one is moved: put and deleted in one
     * transaction.
     */
    changeSecurityAlerts: together(
      publish,
      retention,
      events.may("UpdateItem"),
      alerts.may("GetItem", "PutItem", "UpdateItem", "DeleteItem"),
    ),

    /** To publish changes of alerts that were left behind. */
    sweepAlertOutbox: together(publish, alerts.query(ALERT_OUTBOX), alerts.may("GetItem", "UpdateItem")),

    /** An hour that is closed waits for detection. */
    closeSecurityHours: together(
      events.may("Query"),
      rollups.may("GetItem", "Query", "PutItem", "DeleteItem"),
      rollups.query(OPEN_HOURS),
      detection.may("GetItem", "PutItem"),
      retention,
      variables({ ROLLUP_SETTLE_MS: String(ROLLUP_SETTLE_MS) }),
    ),

    /** What was erased meanwhile does not come back. */
    restoreSecurityEvents: together(recordSecurityEvents, erasures.may("Query")),
  };
};
