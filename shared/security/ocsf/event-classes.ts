/**
 * The OCSF class and activity of each type of our events. docs/ocsf.md has the reasons. An activity that the class does
 * not list has the number 99 ("Other") and its own name, as OCSF says.
 */
import type { EventType } from "../security-event.ts";
import type { OcsfEvent } from "./ocsf-event.ts";

type ClassUid = OcsfEvent["class_uid"];

export const classNames = {
  2004: "Detection Finding",
  3002: "Authentication",
  3004: "Entity Management",
  6003: "API Activity",
} as const satisfies Record<ClassUid, string>;

export const categoryNames = {
  2: "Findings",
  3: "Identity & Access Management",
  6: "Application Activity",
} as const satisfies Record<OcsfEvent["category_uid"], string>;

const finding = { uid: 2004, activityId: 1, activity: "Create" } as const;

const logon = { uid: 3002, activityId: 1, activity: "Logon" } as const;
/** OCSF's "Service Ticket Renew" is one of Kerberos. */
const tokenRefresh = { uid: 3002, activityId: 99, activity: "Token Refresh" } as const;

const entityCreated = { uid: 3004, activityId: 1, activity: "Create" } as const;
const entityUpdated = { uid: 3004, activityId: 3, activity: "Update" } as const;
const entityDeleted = { uid: 3004, activityId: 4, activity: "Delete" } as const;

const apiCreate = { uid: 6003, activityId: 1, activity: "Create" } as const;
const apiRead = { uid: 6003, activityId: 2, activity: "Read" } as const;
const apiUpdate = { uid: 6003, activityId: 3, activity: "Update" } as const;
const apiDelete = { uid: 6003, activityId: 4, activity: "Delete" } as const;
const apiOther = (activity: string) => ({ uid: 6003, activityId: 99, activity }) as const;

export type EventClass =
  | typeof finding
  | typeof logon
  | typeof tokenRefresh
  | typeof entityCreated
  | typeof entityUpdated
  | typeof entityDeleted
  | typeof apiCreate
  | typeof apiRead
  | typeof apiUpdate
  | typeof apiDelete
  | ReturnType<typeof apiOther>;

const classByType: Record<EventType, EventClass> = {
  PROVIDER_SYNC_STARTED: apiRead,
  PROVIDER_SYNC_COMPLETED: apiRead,
  PROVIDER_SYNC_FAILED: apiRead,
  PROVIDER_CONNECTION_ESTABLISHED: entityCreated,
  PROVIDER_CONNECTION_REMOVED: entityDeleted,
  PROVIDER_TOKEN_REFRESH: tokenRefresh,
  AUTHENTICATION_FAILURE: logon,
  PERMISSION_DENIED: apiOther("Permission Denied"),
  RATE_LIMIT_EXCEEDED: apiOther("Rate Limit Exceeded"),
  MANUAL_ALERT_GENERATED: finding,
  CIRCUIT_BREAKER_CHANGED: entityUpdated,
  SYSTEM_OUTAGE: finding,
  PROVIDER_REQUEST: apiOther("Provider Request"),
  DATA_READ: apiRead,
  SETTINGS_CHANGED: entityUpdated,
  WEBHOOK_SECRETS_CHANGED: entityUpdated,
  WEBHOOK_RECEIVED: apiCreate,
  WEBHOOK_NOT_APPLIED: apiUpdate,
  WEBHOOK_REPLAYED: apiUpdate,
  PLATFORM_EVENTS_STOPPED: entityUpdated,
  ERASURE_REQUESTED: apiCreate,
  ERASURE_COMPLETED: apiDelete,
  ALERT_MUTE_CREATED: entityCreated,
  ALERT_MUTE_ENDED: entityUpdated,
  NOTIFICATIONS_CHANGED: entityUpdated,
  NOTIFICATIONS_PAUSED: entityUpdated,
  CUSTOM_RULE_CREATED: entityCreated,
  CUSTOM_RULE_CHANGED: entityUpdated,
  CUSTOM_RULE_DELETED: entityDeleted,
  DETECTION_RULE_CHANGED: entityUpdated,
  REPORT_REVIEWED: entityUpdated,
  DRILL_STARTED: apiCreate,
  PROVIDER_ACCOUNT_ACTIVITY: entityUpdated,
  EXPORT_REQUESTED: apiCreate,
  EXPORT_COMPLETED: apiRead,
};

/** Of a type that this version does not have. */
const unknownType = apiOther("Other");

export const classOf = (eventType: string): EventClass =>
  Object.hasOwn(classByType, eventType) ? classByType[eventType as EventType] : unknownType;
