import {
  ALERT_OUTBOX,
  ALERTS_BY_STATUS,
  CONNECTED_ORGANIZATIONS,
  EVENTS_BY_CATEGORY,
  EVENTS_BY_RISK,
  EVENTS_BY_TYPE,
  EVENTS_BY_USER,
  OPEN_EVENTS,
  OPEN_HOURS,
} from "../../../shared/terms/indexes.ts";
import { together, variables } from "../resources/access.ts";
import type { AccessParts } from "./parts.ts";

/** Statistics read rollups eventually consistent: an hour closes only when every read returns all its counts. */
const ROLLUP_SETTLE_MS = 3_000;

/** Rights for security events, their statistics and alerts. */
export const securityAccess = (parts: AccessParts) => {
  const { events, rollups, alerts, detection, erasures, connections, publish, retention } = parts;
  const { recordSecurityEvents, changeCircuits, settings, feed } = parts;
  return {
    readSecurityEvents: together(
      events.may("Query", "BatchGetItem"),
      events.query(EVENTS_BY_USER, EVENTS_BY_RISK, EVENTS_BY_TYPE, EVENTS_BY_CATEGORY, OPEN_EVENTS),
      rollups.may("Query"),
      alerts.may("Query"),
    ),

    readSecurityEvent: together(events.may("GetItem"), alerts.may("GetItem")),

    /** The transitions of a circuit are security events of one type. */
    listCircuitHistory: together(events.query(EVENTS_BY_TYPE), events.may("BatchGetItem")),

    /** The alert, and its notes. */
    readSecurityAlert: alerts.may("GetItem", "Query"),

    listSecurityAlerts: together(alerts.query(ALERTS_BY_STATUS), retention),

    /**
     * To mark events as processed, and to generate, acknowledge, resolve, assign and comment on alerts. A resolved alert
     * moves to another key: a put and a delete in one transaction. A generated one is checked not to lie there. A note is
     * put with the update of its alert.
     */
    changeSecurityAlerts: together(
      publish,
      retention,
      events.may("UpdateItem"),
      alerts.may("GetItem", "PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem"),
    ),

    /** To publish changes of alerts that are still in the outbox, to renew notes, and to announce transitions of circuits. */
    sweepAlertOutbox: together(
      recordSecurityEvents,
      changeCircuits,
      connections.query(CONNECTED_ORGANIZATIONS),
      alerts.query(ALERT_OUTBOX),
      alerts.may("GetItem", "Query", "UpdateItem"),
    ),

    /** Whether there is a feed. */
    knowDeployment: feed(),

    /** A closed hour gets a due mark for detection, and one for the feed. */
    closeSecurityHours: together(
      publish,
      events.may("Query"),
      rollups.may("GetItem", "Query", "PutItem", "DeleteItem"),
      rollups.query(OPEN_HOURS),
      detection.may("GetItem", "PutItem"),
      retention,
      variables({ ROLLUP_SETTLE_MS: String(ROLLUP_SETTLE_MS) }),
      feed(),
    ),

    writeFeed: together(
      publish,
      feed("PutObject", "DeleteObject"),
      events.may("Query"),
      rollups.query(OPEN_HOURS),
      rollups.may("PutItem", "DeleteItem"),
      settings.may("GetItem"),
    ),

    /** To clean events that an erasure has affected since (shared/erasure/late-store.ts). */
    restoreSecurityEvents: together(recordSecurityEvents, erasures.may("Query")),
  };
};
