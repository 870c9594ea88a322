/** Maps a security event to OCSF. Pure; the same event gives the same text. docs/ocsf.md has the mapping as a table. */
import { isIP } from "node:net";
import { definedFields } from "../../json/defined-fields.ts";
import type { RiskLevel } from "../../terms/risk-levels.ts";
import { type EventType, eventTypes, type SecurityEvent } from "../security-event.ts";
import { categoryNames, classNames, classOf } from "./event-classes.ts";
import { OCSF_VERSION, type OcsfEvent } from "./ocsf-event.ts";

const PRODUCT = { name: "Integration Security", uid: "integration-security", vendor_name: "Integration Security" };
const PROVIDER = "Payment provider";

/** Who acts, if no user is known. */
const appNames = { system: PRODUCT.name, webhook: PROVIDER, user: "API client" } as const;

const severities = {
  LOW: { severity_id: 2, severity: "Low" },
  MEDIUM: { severity_id: 3, severity: "Medium" },
  HIGH: { severity_id: 4, severity: "High" },
  CRITICAL: { severity_id: 5, severity: "Critical" },
} as const satisfies Record<RiskLevel, object>;

/** The greatest length of an OCSF `ip_t`. */
const MAX_IP_CHARACTERS = 40;

const userOf = (userId: string, { organizationId }: SecurityEvent) => ({
  uid: userId,
  type: "User",
  type_id: 1 as const,
  ...(organizationId !== undefined && { org: { uid: organizationId } }),
});

const actorOf = (event: SecurityEvent) => ({
  ...(event.userId === undefined ? { app_name: appNames[event.source] } : { user: userOf(event.userId, event) }),
  ...(event.sessionId !== undefined && { session: { uid: event.sessionId } }),
});

/** A network, as counts of refusals have it, and a cut address are names, because they are no addresses. */
const endpointOf = ({ ipAddress, source }: SecurityEvent) => {
  if (ipAddress === undefined) return { svc_name: appNames[source] };
  return isIP(ipAddress) !== 0 && ipAddress.length <= MAX_IP_CHARACTERS ? { ip: ipAddress } : { name: ipAddress };
};

/** Who is authenticated: the user, else the provider, else the connected account at the provider. */
const authenticatedOf = (event: SecurityEvent) => {
  const { userId, source, resource } = event;
  if (userId !== undefined) return userOf(userId, event);
  if (source === "user") return { name: "unknown", type: "Unknown", type_id: 0 as const };
  const account = source === "system" && resource !== undefined ? { uid: resource } : { name: PROVIDER };
  return { ...account, type: "Service", type_id: 4 as const };
};

/** The service that a caller wants to be authenticated by: for our own calls the provider. */
const authenticatorOf = ({ source }: SecurityEvent) => ({ name: source === "system" ? PROVIDER : PRODUCT.name });

const isKnown = (eventType: string): eventType is EventType => Object.hasOwn(eventTypes, eventType);

const textIn = (metadata: unknown, ...names: readonly string[]): string | undefined => {
  if (typeof metadata !== "object" || metadata === null) return undefined;
  for (const name of names) {
    const value: unknown = Object.hasOwn(metadata, name) ? Reflect.get(metadata, name) : undefined;
    if (typeof value === "string") return value;
  }
  return undefined;
};

const durationOf = (metadata: unknown): number | undefined => {
  if (typeof metadata !== "object" || metadata === null || !("durationMs" in metadata)) return undefined;
  const { durationMs } = metadata;
  return Number.isSafeInteger(durationMs) ? Number(durationMs) : undefined;
};

const resourceOf = ({ resource, resourceType }: SecurityEvent) => {
  const type = resourceType === undefined ? {} : { type: resourceType };
  if (resource !== undefined) return { uid: resource, ...type };
  return resourceType === undefined ? undefined : { name: resourceType, ...type };
};

/** What the event's class has no attribute for. */
const unmappedOf = (event: SecurityEvent, classUid: OcsfEvent["class_uid"]) => {
  const { action, category, source, processed, processedAt, alertGenerated, alertLevel, location, metadata } = event;
  const { resource, resourceType } = event;
  return {
    category,
    source,
    processed,
    alertGenerated,
    ...definedFields({ action: classUid === 6003 ? undefined : action, processedAt, alertLevel, location, metadata }),
    ...(classUid === 3002 && definedFields({ resource, resourceType })),
  };
};

/** The class of the event is that of its type; an event of an unknown type is API Activity with activity 99. */
export const toOcsf = (event: SecurityEvent): OcsfEvent => {
  const { id, eventType, organizationId, success, errorCode, errorMessage, metadata, timestamp, userAgent } = event;
  const { action = eventType.toLowerCase(), resource, resourceType } = event;
  const ocsfClass = classOf(eventType);
  const requestId = textIn(metadata, "requestId");
  const message = isKnown(eventType) ? eventTypes[eventType] : eventType;
  const common = {
    activity_name: ocsfClass.activity,
    class_name: classNames[ocsfClass.uid],
    type_uid: ocsfClass.uid * 100 + ocsfClass.activityId,
    type_name: `${classNames[ocsfClass.uid]}: ${ocsfClass.activity}`,
    time: timestamp,
    ...severities[event.riskLevel],
    message,
    ...definedFields({ status_code: errorCode, status_detail: errorMessage, duration: durationOf(metadata) }),
    metadata: {
      version: OCSF_VERSION,
      product: PRODUCT,
      uid: id,
      event_code: eventType,
      log_name: "security_events",
      logged_time: event.createdAt,
      ...definedFields({
        tenant_uid: organizationId,
        correlation_uid: textIn(metadata, "requestId", "runId", "erasureId", "exportId"),
      }),
    },
    unmapped: unmappedOf(event, ocsfClass.uid),
  };
  const outcome = success
    ? ({ status_id: 1, status: "Success" } as const)
    : ({ status_id: 2, status: "Failure" } as const);
  const origin = {
    actor: actorOf(event),
    src_endpoint: endpointOf(event),
    ...((userAgent !== undefined || (requestId !== undefined && event.source !== "system")) && {
      http_request: definedFields({ uid: requestId, user_agent: userAgent }),
    }),
  };
  const about = resourceOf(event);
  const resources = about === undefined ? {} : { resources: [about] };
  switch (ocsfClass.uid) {
    case 2004:
      return {
        category_uid: 2,
        category_name: categoryNames[2],
        class_uid: 2004,
        activity_id: 1,
        ...common,
        status_id: 1,
        status: "New",
        is_alert: true,
        finding_info: {
          uid: textIn(metadata, "alertId") ?? id,
          title: message,
          created_time: timestamp,
          types: [eventType],
        },
        ...resources,
        evidences: [origin],
      };
    case 3002:
      return {
        category_uid: 3,
        category_name: categoryNames[3],
        class_uid: 3002,
        activity_id: ocsfClass.activityId,
        ...common,
        ...outcome,
        ...origin,
        user: authenticatedOf(event),
        service: authenticatorOf(event),
      };
    case 3004:
      return {
        category_uid: 3,
        category_name: categoryNames[3],
        class_uid: 3004,
        activity_id: ocsfClass.activityId,
        ...common,
        ...outcome,
        ...origin,
        entity: {
          name: resource ?? resourceType ?? action,
          type_id: 99,
          ...definedFields({ uid: resource, type: resourceType }),
        },
      };
    case 6003:
      return {
        category_uid: 6,
        category_name: categoryNames[6],
        class_uid: 6003,
        activity_id: ocsfClass.activityId,
        ...common,
        ...outcome,
        ...origin,
        api: {
          operation: action,
          service: { name: PRODUCT.name },
          ...(requestId !== undefined && { request: { uid: requestId } }),
          ...((errorCode !== undefined || errorMessage !== undefined) && {
            response: definedFields({ error: errorCode, error_message: errorMessage }),
          }),
        },
        ...resources,
      };
  }
};
