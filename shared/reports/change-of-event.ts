/** The change of connection, settings or breaker that an event tells of: what, who and why. Pure. */
import * as z from "zod/mini";
import { cutText } from "../security/redaction/redact-and-cut.ts";
import type { SecurityEvent } from "../security/security-event.ts";
import type { ChangedArea, ReportedChange } from "./compliance-report.ts";

const MAX_TEXT_CHARACTERS = 500;

const text = z.optional(z.string());

const ConnectionFacts = z.object({ method: text, reason: text });
const CircuitFacts = z.object({ from: text, to: text, cause: text, reason: text });

const List = z.array(z.string());
const Difference = z.union([z.object({ from: List, to: List }), z.object({ added: List, removed: List })]);

type Told = { area: ChangedArea; why?: string | undefined; details?: string | undefined };

const words = (name: string): string => name.replaceAll("_", " ");

const METHODS = new Map([
  ["api_key", "API key"],
  ["oauth", "OAuth"],
]);

const listed = (list: readonly string[]): string => (list.length === 0 ? "none" : list.join(", "));

const differenceText = (name: string, difference: z.output<typeof Difference>): string =>
  "from" in difference
    ? `${name}: ${listed(difference.from)} → ${listed(difference.to)}`
    : `${name}: added ${listed(difference.added)}; removed ${listed(difference.removed)}`;

const settingsDetails = (metadata: unknown): string =>
  Object.entries(metadata ?? {})
    .flatMap(([name, value]) => {
      const difference = Difference.safeParse(value);
      return difference.success ? [differenceText(name, difference.data)] : [];
    })
    .join("; ");

const connectionTold = ({ metadata, resource }: SecurityEvent): Told => {
  const { method, reason } = ConnectionFacts.safeParse(metadata).data ?? {};
  const details = [resource && `account ${resource}`, method && `by ${METHODS.get(method) ?? words(method)}`]
    .filter(Boolean)
    .join(", ");
  return { area: "connection", why: reason && words(reason), details };
};

const circuitTold = ({ metadata, source }: SecurityEvent): Told => {
  const { from, to, cause, reason } = CircuitFacts.safeParse(metadata).data ?? {};
  const why = reason ?? (source === "user" ? undefined : cause && words(cause));
  const details = from !== undefined && to !== undefined ? `${words(from)} → ${words(to)}` : undefined;
  return { area: "circuit_breaker", why, details };
};

const told = (event: SecurityEvent): Told | undefined => {
  switch (event.eventType) {
    case "PROVIDER_CONNECTION_ESTABLISHED":
    case "PROVIDER_CONNECTION_REMOVED":
      return connectionTold(event);
    case "SETTINGS_CHANGED":
      return { area: "settings", details: settingsDetails(event.metadata) };
    case "CIRCUIT_BREAKER_CHANGED":
      return circuitTold(event);
    case "AUTHENTICATION_FAILURE":
      // The provider takes the tokens no longer, so the connection waits to be made anew.
      if (event.action !== "require_reconnect") return undefined;
      return { area: "connection", why: event.errorMessage ?? event.errorCode };
    default:
      return undefined;
  }
};

const cut = (value: string): string => cutText(value, MAX_TEXT_CHARACTERS);

/** @returns undefined for an event that tells of no change. */
export const changeOf = (event: SecurityEvent): ReportedChange | undefined => {
  const found = told(event);
  if (found === undefined) return undefined;
  const { id, timestamp, source, userId, action, eventType } = event;
  const { area, why, details } = found;
  return {
    at: timestamp,
    area,
    what: action ?? eventType.toLowerCase(),
    ...(userId !== undefined && { who: userId }),
    ...(why !== undefined && why !== "" && { why: cut(why) }),
    ...(details !== undefined && details !== "" && { details: cut(details) }),
    source,
    eventId: id,
  };
};
