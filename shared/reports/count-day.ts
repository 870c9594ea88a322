/** Counts a day's events one by one, in any order, and finds the changes among them. Pure. */
import * as z from "zod/mini";
import { factOf, isCall } from "../detection/evidence/fact.ts";
import { definedFields } from "../json/defined-fields.ts";
import type { SecurityEvent } from "../security/security-event.ts";
import { HOUR_MS } from "../terms/hours.ts";
import type { ComplianceReport, ReportedChange, UserAccess } from "./compliance-report.ts";
import { noneByLevel } from "./report-fields.ts";

const optionalText = z.optional(z.string());
const ConnectionFacts = z.object({ method: optionalText, reason: optionalText });
const WebhookSecretsFacts = z.object({ current: z.number(), replaced: z.number() });
const CircuitFacts = z.object({ from: optionalText, to: optionalText, cause: optionalText, reason: optionalText });

const List = z.array(z.string());
const Difference = z.union([z.object({ from: List, to: List }), z.object({ added: List, removed: List })]);

type ChangeFacts = Pick<ReportedChange, "area"> & { why?: string | undefined; details?: string | undefined };

const words = (name: string): string => name.replaceAll("_", " ");

const METHODS = new Map([
  ["api_key", "API key"],
  ["oauth", "OAuth"],
]);

const connectionFacts = ({ metadata, resource }: SecurityEvent): ChangeFacts => {
  const { method, reason } = ConnectionFacts.safeParse(metadata).data ?? {};
  const details = [resource && `account ${resource}`, method && `by ${METHODS.get(method) ?? words(method)}`];
  return { area: "connection", why: reason && words(reason), details: details.filter(Boolean).join(", ") };
};

const listed = (list: readonly string[]): string => (list.length === 0 ? "none" : list.join(", "));

const settingsDetails = (metadata: unknown): string =>
  Object.entries(metadata ?? {})
    .flatMap(([name, value]) => {
      const { data } = Difference.safeParse(value);
      if (data === undefined) return [];
      return "from" in data
        ? `${name}: ${listed(data.from)} → ${listed(data.to)}`
        : `${name}: added ${listed(data.added)}; removed ${listed(data.removed)}`;
    })
    .join("; ");

const webhookSecretsDetails = (metadata: unknown): string | undefined => {
  const { data: secrets } = WebhookSecretsFacts.safeParse(metadata);
  return secrets && `${secrets.current} webhook secrets, ${secrets.replaced} replaced`;
};

const circuitFacts = ({ metadata, source }: SecurityEvent): ChangeFacts => {
  const { from, to, cause, reason } = CircuitFacts.safeParse(metadata).data ?? {};
  const why = reason ?? (source === "user" ? undefined : cause && words(cause));
  const details = from !== undefined && to !== undefined ? `${words(from)} → ${words(to)}` : undefined;
  return { area: "circuit_breaker", why, details };
};

const DestinationFacts = z.object({
  destinationType: optionalText,
  destinationName: optionalText,
  reason: optionalText,
});
const ExportFacts = z.object({ kind: optionalText, format: optionalText, items: z.optional(z.number()) });

const notificationFacts = ({ metadata }: SecurityEvent): ChangeFacts => {
  const { destinationType, destinationName, reason } = DestinationFacts.safeParse(metadata).data ?? {};
  const details = [destinationType, destinationName].filter(Boolean).join(" ");
  return { area: "notifications", why: reason, details };
};

const exportFacts = ({ metadata }: SecurityEvent): ChangeFacts => {
  const { kind, format, items } = ExportFacts.safeParse(metadata).data ?? {};
  const details = [kind, format, items === undefined ? undefined : `${items} entries`].filter(Boolean).join(", ");
  return { area: "exports", details };
};

const RuleFacts = z.object({ enabled: z.optional(z.object({ to: z.boolean() })) });

const ruleDetails = ({ metadata, resource = "" }: SecurityEvent): string => {
  const { enabled } = RuleFacts.safeParse(metadata).data ?? {};
  const change = enabled === undefined ? "settings changed" : `switched ${enabled.to ? "on" : "off"}`;
  return `rule ${words(resource)}: ${change}`;
};

const factsOf = (event: SecurityEvent): ChangeFacts | undefined => {
  switch (event.eventType) {
    case "PROVIDER_CONNECTION_ESTABLISHED":
    case "PROVIDER_CONNECTION_REMOVED":
      return connectionFacts(event);
    case "SETTINGS_CHANGED":
      return { area: "settings", details: settingsDetails(event.metadata) };
    case "WEBHOOK_SECRETS_CHANGED":
      return { area: "connection", details: webhookSecretsDetails(event.metadata) };
    case "CIRCUIT_BREAKER_CHANGED":
      return circuitFacts(event);
    case "DETECTION_RULE_CHANGED":
      return { area: "settings", details: ruleDetails(event) };
    case "NOTIFICATIONS_CHANGED":
    case "NOTIFICATIONS_PAUSED":
      return notificationFacts(event);
    case "EXPORT_REQUESTED":
    case "EXPORT_COMPLETED":
      return exportFacts(event);
    case "AUTHENTICATION_FAILURE":
      // The provider rejects the tokens, so the connection must be made again.
      if (event.action !== "require_reconnect") return undefined;
      return { area: "connection", why: event.errorMessage ?? event.errorCode };
    default:
      return undefined;
  }
};

/** Events have bounds (2 KB of metadata, 512 characters of a message), so texts are not cut again. */
const orNothing = (value: string | undefined): string | undefined => value || undefined;

/** The change, or the export, that an event records (compliance-report.ts); undefined for other events. */
export const changeOf = (event: SecurityEvent): ReportedChange | undefined => {
  const facts = factsOf(event);
  if (facts === undefined) return undefined;
  const { id, timestamp, source, userId, action, eventType } = event;
  const { area, why, details } = facts;
  return {
    at: timestamp,
    area,
    what: action ?? eventType.toLowerCase(),
    ...definedFields({ who: userId, why: orNothing(why), details: orNothing(details) }),
    source,
    eventId: id,
  };
};

/** `users` and `changes` are in no order. */
export type DayCounts = {
  events: ComplianceReport["events"];
  withoutUser: ComplianceReport["access"]["withoutUser"];
  users: UserAccess[];
  changes: ReportedChange[];
  exports: NonNullable<ComplianceReport["exports"]>;
};

type Access = Pick<UserAccess, "calls" | "refusals"> & { reads: Map<string, number> };

const HOURS = 24;

/** The events of requests that the service refused. The provider's refusals are not the users' fault. */
const REFUSALS = ["AUTHENTICATION_FAILURE", "PERMISSION_DENIED"];

const READ_PREFIX = "read_";

/** @param from the day's beginning, epoch ms. */
export const createDayCounter = (from: number) => {
  const events = {
    total: 0,
    failures: 0,
    byLevel: noneByLevel(),
    hours: Array.from({ length: HOURS }, () => ({ events: 0, failures: 0 })),
  };
  const withoutUser = { calls: 0, refusals: 0 };
  const users = new Map<string, Access>();
  const changes: ReportedChange[] = [];
  const exports = { requested: 0, completed: 0 };

  const addCall = (event: SecurityEvent): void => {
    const fact = factOf(event);
    if (!isCall(fact)) return;
    const isRefusal = REFUSALS.includes(event.eventType);
    if (event.userId === undefined) {
      withoutUser.calls++;
      if (isRefusal) withoutUser.refusals += fact.failures ?? 1;
      return;
    }
    const access = users.get(event.userId) ?? { calls: 0, reads: new Map(), refusals: 0 };
    users.set(event.userId, access);
    access.calls++;
    if (isRefusal) access.refusals += fact.failures ?? 1;
    if (event.eventType !== "DATA_READ" || !event.action?.startsWith(READ_PREFIX)) return;
    const kind = event.action.slice(READ_PREFIX.length);
    access.reads.set(kind, (access.reads.get(kind) ?? 0) + 1);
  };

  return {
    /** Must be called once for each event. */
    add(event: SecurityEvent): void {
      events.total++;
      events.byLevel[event.riskLevel]++;
      const hour = events.hours[Math.floor((event.timestamp - from) / HOUR_MS)];
      if (hour !== undefined) hour.events++;
      if (!event.success) {
        events.failures++;
        if (hour !== undefined) hour.failures++;
      }
      if (event.eventType === "EXPORT_REQUESTED") exports.requested++;
      if (event.eventType === "EXPORT_COMPLETED") exports.completed++;
      addCall(event);
      const change = changeOf(event);
      if (change !== undefined) changes.push(change);
    },

    result: (): DayCounts => ({
      events,
      withoutUser,
      users: [...users].map(([userId, { reads, ...access }]) => ({
        userId,
        ...access,
        reads: Object.fromEntries([...reads].sort(([a], [b]) => (a < b ? -1 : 1))),
      })),
      changes,
      exports,
    }),
  };
};
