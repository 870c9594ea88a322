/** The titles of events' alerts: what happened, for a reader who does not know the event types; and their subjects. Pure. */
import * as z from "zod/mini";
import { catalogueEntry } from "../../terms/error-catalogue.ts";
import type { EventType, SecurityEvent } from "../security-event.ts";
import { EVENT_RULE, MUTED_RULE, PAUSED_RULE, RULE_OFF_RULE, SILENCED_RULE } from "./alert.ts";

type Described = Pick<
  SecurityEvent,
  "eventType" | "source" | "action" | "success" | "errorCode" | "metadata" | "resource" | "drill"
>;
type Subjected = Pick<
  SecurityEvent,
  "eventType" | "category" | "riskLevel" | "source" | "metadata" | "userId" | "ipAddress" | "resource"
>;
type Title = string | ((event: Described) => string);

/** The kind of the provider's error; absent if the provider did not cause the event. */
const errorCategoryOf = ({ metadata }: Pick<SecurityEvent, "metadata">): unknown =>
  typeof metadata === "object" && metadata !== null && "errorCategory" in metadata ? metadata.errorCategory : undefined;

/** Whether the event is a webhook without a valid signature, and not a webhook's call that the provider refused. */
const isForgedWebhook = (event: Pick<SecurityEvent, "eventType" | "source" | "metadata">): boolean =>
  event.eventType === "AUTHENTICATION_FAILURE" && event.source === "webhook" && errorCategoryOf(event) === undefined;

const isNumber = ({ errorCode }: Described, name: Parameters<typeof catalogueEntry>[0]): boolean =>
  errorCode === String(catalogueEntry(name).number);

const failedRequests: Readonly<Record<string, string>> = {
  authentication: "The provider refused the API key or the authorization while connecting",
  authorization: "The provider denied the API key a permission while connecting",
  network: "The provider could not be reached",
  provider: "The provider answered with an error",
  validation: "The provider rejected a request of the service",
};

const circuitChanges: Readonly<Record<string, string>> = {
  open: "The provider kept failing: the circuit breaker opened and refuses calls",
  half_open: "The circuit breaker is trying the provider again",
  close: "The circuit breaker closed: the provider is called again",
  force_open: "An operator stopped all calls to the provider",
  force_close: "An operator lets all calls to the provider pass",
  reset: "An operator reset the circuit breaker",
};

const PausedMetadata = z.object({ destinationName: z.string(), reason: z.string(), because: z.optional(z.string()) });

const SilencedMetadata = z.object({ destinationName: z.string(), silenced: z.string() });

const silencings: Readonly<Record<string, string>> = {
  deleted: "was deleted",
  paused: "was paused by a user",
  unsubscribed: "was unsubscribed by its recipient",
  moved: "has another URL or address",
  narrowed: "takes fewer alerts than before",
  held: "holds serious alerts for summaries",
};

const changedTitle = (metadata: unknown): string => {
  const { data } = SilencedMetadata.safeParse(metadata);
  const what = data && silencings[data.silenced];
  return data === undefined || what === undefined
    ? "A destination of notifications was changed"
    : `The destination of notifications "${data.destinationName}" ${what}`;
};

/** Why the service paused a destination, by the event's `because` or `reason`. */
const pauses: Readonly<Record<string, string>> = {
  gone: "its address is gone",
  bounced: "its mail server refused a mail for good",
  complained: "its reader reported a mail as spam",
};

const pausedTitle = (metadata: unknown): string => {
  const { data } = PausedMetadata.safeParse(metadata);
  if (data === undefined) return "A destination of notifications was paused";
  const cause = pauses[data.because ?? data.reason] ?? "they failed for five days";
  return `Notifications to "${data.destinationName}" are paused: ${cause}`;
};

const MutedMetadata = z.object({
  coversHigh: z.boolean(),
  levels: z.array(z.string()),
  rules: z.optional(z.array(z.string())),
  ruleCount: z.optional(z.number()),
  until: z.number(),
});

const MAX_TITLED_RULES = 3;

const mutedTitle = (metadata: unknown): string => {
  const { data } = MutedMetadata.safeParse(metadata);
  if (data === undefined) return "A user muted alerts";
  const { levels, rules = [], ruleCount = rules.length, until } = data;
  const named = rules.length > 0 && rules.length <= MAX_TITLED_RULES ? rules.join(", ") : `${ruleCount} rules`;
  const time = new Date(until).toISOString().slice(0, 16).replace("T", " ");
  return `Alerts are muted until ${time} UTC: ${levels.join(", ")} of ${ruleCount === 0 ? "all rules" : named}`;
};

const RuleMetadata = z.object({ enabled: z.object({ to: z.boolean() }) });

const ruleTitle = ({ metadata, resource = "" }: Described): string => {
  const { data } = RuleMetadata.safeParse(metadata);
  const rule = `The detection rule ${resource}`;
  if (data === undefined) return `${rule} has other settings`;
  return data.enabled.to ? `${rule} was switched on` : `${rule} was switched off: it finds nothing any more`;
};

/** The subject of the one alert about an organization's forged webhooks. */
const FORGED_WEBHOOKS = "webhooks";

const titles: Record<EventType, Title> = {
  PROVIDER_SYNC_STARTED: "A sync started",
  PROVIDER_SYNC_COMPLETED: "A sync completed",
  PROVIDER_SYNC_FAILED: "A sync failed",
  PROVIDER_CONNECTION_ESTABLISHED: "A provider account was connected",
  PROVIDER_CONNECTION_REMOVED: "The provider account was disconnected",
  PROVIDER_TOKEN_REFRESH: ({ success }) =>
    success ? "The provider's access token was renewed" : "The provider's access token could not be renewed",
  AUTHENTICATION_FAILURE: (event) => {
    if (event.action === "require_reconnect") {
      return "The provider refuses the stored credentials: syncing has stopped until the account is connected again";
    }
    if (errorCategoryOf(event) !== undefined) return "The provider refused the credentials of the connection";
    return isForgedWebhook(event)
      ? "A webhook without a valid signature was refused"
      : "A call with an invalid or expired token was refused";
  },
  PERMISSION_DENIED: (event) => {
    if (errorCategoryOf(event) !== undefined) return "The provider denied the connection a permission";
    if (isNumber(event, "ip_address_not_allowed")) return "A call from an address that is not allowed was refused";
    return isNumber(event, "invalid_cursor") || isNumber(event, "invalid_authorization")
      ? "A user sent a cursor or a state of another organization"
      : "A call without the needed permission was refused";
  },
  RATE_LIMIT_EXCEEDED: "The provider's rate limit was exceeded",
  MANUAL_ALERT_GENERATED: "A user raised an alert",
  CIRCUIT_BREAKER_CHANGED: ({ action = "" }) => circuitChanges[action] ?? "The circuit breaker changed",
  SYSTEM_OUTAGE: "Half or more of all organizations cannot reach the provider",
  PROVIDER_REQUEST: (event) => {
    if (event.success) return "A request to the provider succeeded";
    if (event.errorCode === "not_storable") return "An object of the provider could not be stored";
    if (event.errorCode === "circuit_open") return "A request was not sent: the circuit breaker is open";
    return failedRequests[String(errorCategoryOf(event))] ?? "A request to the provider failed";
  },
  DATA_READ: "A user read data",
  SETTINGS_CHANGED: "A user changed the organization's settings",
  WEBHOOK_SECRETS_CHANGED: "A user replaced the secrets of the webhooks",
  WEBHOOK_RECEIVED: ({ success }) => (success ? "A webhook arrived" : "A webhook could not be accepted"),
  WEBHOOK_NOT_APPLIED: "A webhook could not be applied",
  WEBHOOK_REPLAYED: ({ success }) =>
    success ? "A user replayed a failed webhook" : "A failed webhook could not be replayed",
  PLATFORM_EVENTS_STOPPED: "Webhooks are withheld from a connection whose API key may have been revoked",
  ERASURE_REQUESTED: "A user requested that data is erased",
  ERASURE_COMPLETED: "Data was erased on request",
  EXPORT_REQUESTED: "A user requested an export of data",
  EXPORT_COMPLETED: "An export of data is complete",
  ALERT_MUTE_CREATED: ({ metadata }) => mutedTitle(metadata),
  ALERT_MUTE_ENDED: "A mute of alerts ended",
  NOTIFICATIONS_CHANGED: ({ metadata }) => changedTitle(metadata),
  CUSTOM_RULE_CREATED: "A user created an own rule of detection",
  CUSTOM_RULE_CHANGED: "A user changed an own rule of detection",
  CUSTOM_RULE_DELETED: "A user deleted an own rule of detection",
  REPORT_REVIEWED: "A user reviewed a report",
  DRILL_STARTED: "A user started a fire drill of the alarms",
  PROVIDER_ACCOUNT_ACTIVITY: "Something happened to the account at the provider",
  NOTIFICATIONS_PAUSED: ({ metadata }) => pausedTitle(metadata),
  DETECTION_RULE_CHANGED: (event) => ruleTitle(event),
};

const isKnown = (eventType: string): eventType is EventType => Object.hasOwn(titles, eventType);

/** Before the titles of what a fire drill made. */
export const DRILL_LABEL = "Drill: ";

/** An unknown event type, as of a later version, is its own title. */
export const titleOfEvent = (event: Described): string => {
  const title = isKnown(event.eventType) ? titles[event.eventType] : event.eventType;
  const label = event.drill === true ? DRILL_LABEL : "";
  return label + (typeof title === "string" ? title : title(event));
};

/**
 * The rule of an event's alert. A changed destination or rule is HIGH only if the change silences it. A mute has an alert of its own
 * only if it covers HIGH or CRITICAL alerts.
 */
export const ruleOfEvent = ({
  eventType,
  riskLevel,
  metadata,
}: Pick<SecurityEvent, "eventType" | "riskLevel" | "metadata">): string => {
  if (eventType === "NOTIFICATIONS_PAUSED") return PAUSED_RULE;
  if (eventType === "ALERT_MUTE_CREATED" && MutedMetadata.safeParse(metadata).data?.coversHigh === true)
    return MUTED_RULE;
  if (eventType === "DETECTION_RULE_CHANGED" && riskLevel === "HIGH") return RULE_OFF_RULE;
  return eventType === "NOTIFICATIONS_CHANGED" && riskLevel === "HIGH" ? SILENCED_RULE : EVENT_RULE;
};

/**
 * The subject of an event's alert. Failed authentication is about an address, so a flood of tokens of many users from one
 * address raises one alert. Forged webhooks are one subject whatever their addresses: a stranger with many addresses would
 * raise many alerts, and hide others among them. A paused or silenced destination, a mute, and a rule that is off is the
 * subject itself. Any other event is
 * about a user, or else a resource.
 */
export const subjectOfEvent = (event: Subjected): string => {
  const { eventType, category, userId, ipAddress, resource } = event;
  if (isForgedWebhook(event)) return FORGED_WEBHOOKS;
  if (ruleOfEvent(event) !== EVENT_RULE && resource !== undefined) return resource;
  const user = userId && `user:${userId}`;
  const address = ipAddress && `address:${ipAddress}`;
  const about = (category === "authentication" ? (address ?? user) : (user ?? address)) ?? resource;
  return about === undefined ? eventType : `${eventType} ${about}`;
};
