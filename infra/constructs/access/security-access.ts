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
} from "../../../shared/terms/tables.ts";
import { together, variables } from "../resources/access.ts";
import type { AccessParts } from "./parts.ts";

/** Statistics read rollups eventually consistent: an hour closes only when every read returns all its counts. */
const ROLLUP_SETTLE_MS = 3_000;

/** The rights of the functions of security events, their statistics and alerts. */
export const securityAccess = (parts: AccessParts) => {
  const { securityEvents, securityRollups, securityAlerts, detection, erasures, connections, retention } = parts;
  const { mutes, recordSecurityEvents, changeCircuits, settings, feed, listFeed, archive, evidence } = parts;
  const { readCheckpoints, readCheckpointKeys, signCheckpoints, raiseAlerts, resolveAlerts } = parts;
  return {
    listSecurityEvents: together(
      securityEvents.may("Query", "BatchGetItem"),
      securityEvents.query(EVENTS_BY_USER, EVENTS_BY_RISK, EVENTS_BY_TYPE, EVENTS_BY_CATEGORY, OPEN_EVENTS),
      securityRollups.may("Query"),
      securityAlerts.may("Query"),
    ),

    getSecurityEvent: together(securityEvents.may("GetItem"), securityAlerts.may("GetItem")),

    /** The transitions of a circuit are security events of one type. */
    listCircuitHistory: together(securityEvents.query(EVENTS_BY_TYPE), securityEvents.may("BatchGetItem")),

    /** The alert, its notes, and the mutes that act on it. */
    getSecurityAlert: together(securityAlerts.may("GetItem", "Query"), mutes.may("GetItem"), retention),

    listSecurityAlerts: together(securityAlerts.query(ALERTS_BY_STATUS), mutes.may("GetItem", "Query"), retention),

    /**
     * To mark events as processed, and to generate, acknowledge, resolve, assign and comment on alerts. A resolved alert
     * moves to another key: a put and a delete in one transaction. A generated one is checked not to lie there, and answered
     * with the mutes that act on it. A note is put with the update of its alert.
     */
    changeSecurityAlerts: together(
      retention,
      securityEvents.may("UpdateItem"),
      securityAlerts.may("GetItem", "PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem"),
      mutes.may("GetItem"),
    ),

    /** To publish changes of alerts that are still in the outbox, to renew notes, and to announce transitions of circuits. */
    "sweep-alert-outbox": together(
      recordSecurityEvents,
      changeCircuits,
      connections.query(CONNECTED_ORGANIZATIONS),
      securityAlerts.query(ALERT_OUTBOX),
      securityAlerts.may("GetItem", "Query", "UpdateItem"),
    ),

    getIntegrity: together(
      evidence.may("GetItem", "Query"),
      securityEvents.may("Query"),
      securityRollups.may("Query"),
      erasures.may("Query"),
      archive("GetObject"),
      readCheckpoints,
      readCheckpointKeys,
      retention,
    ),
    getCoverage: evidence.may("GetItem", "Query"),
    getCheckpoint: together(evidence.may("Query"), readCheckpoints),

    /** Whether there is a feed. */
    getCaller: feed(),

    /** A closed hour gets a due mark for detection, and one for its objects of feed and archive. */
    "close-security-hours": together(
      securityEvents.may("Query"),
      securityRollups.may("GetItem", "Query", "PutItem", "DeleteItem"),
      securityRollups.query(OPEN_HOURS),
      detection.may("GetItem", "PutItem"),
      retention,
      variables({ ROLLUP_SETTLE_MS: String(ROLLUP_SETTLE_MS) }),
      feed(),
      archive(),
    ),

    /** To read and seal hours, to give events of older versions a salt, and to sign the log. */
    "seal-security-hours": together(
      evidence.may("GetItem", "Query", "PutItem", "DeleteItem"),
      securityEvents.may("Query", "UpdateItem"),
      securityRollups.query(OPEN_HOURS),
      securityRollups.may("DeleteItem"),
      archive("GetObject"),
      signCheckpoints,
    ),

    /** It also deletes the objects of the archive whose time is over, and stores how far it has come. */
    "write-siem-feed": together(
      feed("PutObject", "DeleteObject"),
      archive("PutObject", "DeleteObject"),
      evidence.may("GetItem", "Query"),
      securityEvents.may("Query"),
      securityRollups.query(OPEN_HOURS),
      securityRollups.may("GetItem", "PutItem", "DeleteItem"),
      settings.may("GetItem"),
    ),

    /** To count events wherever they are, to verify them as getIntegrity does, and to raise and resolve alerts. */
    "sum-security-days": together(
      evidence.may("GetItem", "Query", "PutItem"),
      securityEvents.may("Query"),
      securityRollups.may("Query"),
      detection.may("Query"),
      connections.query(CONNECTED_ORGANIZATIONS),
      settings.may("GetItem"),
      erasures.may("Query"),
      archive("GetObject"),
      feed("GetObject"),
      listFeed,
      readCheckpoints,
      readCheckpointKeys,
      raiseAlerts,
      resolveAlerts,
    ),

    /** To clean events that an erasure has affected since (shared/erasure/late-store.ts). */
    "restore-security-events": together(recordSecurityEvents, erasures.may("Query")),
  };
};
