/** Alerts as items of the alert table. What is nested lies in them as JSON text. */
import * as z from "zod/mini";
import { encodeJson } from "../../json/encode-json.ts";
import { Alert, type AlertChange, type AlertStatus, Evidence, MAX_EVENT_IDS } from "./alert.ts";
import { listKey, outboxShard, statusKey, timeOfAlertId } from "./alert-key.ts";
import type { Raising } from "./alert-raising.ts";

/** A set where raising adds to it, a list where an operator gave it an order. */
const texts = z.union([z.set(z.string()), z.array(z.string())]);

/**
 * Beside the alert's own fields: `token` names the request of the operator that wrote it last, `occurrences` what raised a finding,
 * `outboxAt` since when a change waits to be known as published.
 */
const AlertItem = z.extend(Alert, {
  eventIds: z.optional(texts),
  metadata: z.optional(z.string()),
  evidence: z.optional(z.string()),
  evidenceCount: z.optional(z.number()),
  occurrences: z.optional(texts),
  ttl: z.number(),
  token: z.optional(z.string()),
  outboxAt: z.optional(z.number()),
  outboxChange: z.optional(z.enum(["acknowledged", "resolved"])),
});
export type AlertItem = z.output<typeof AlertItem>;

export const parseAlertItem = (item: unknown): AlertItem => AlertItem.parse(item);

/** @param now epoch ms. */
export const isExpired = ({ ttl }: { ttl: number }, now: number): boolean => ttl <= Math.floor(now / 1000);

const shownIds = (ids: AlertItem["eventIds"]): string[] =>
  Array.isArray(ids) ? ids : [...(ids ?? [])].sort().reverse().slice(0, MAX_EVENT_IDS);

/** The ids of a set that are more than it should hold, the oldest ones. */
export const surplusIds = (ids: AlertItem["eventIds"]): string[] =>
  ids instanceof Set ? [...ids].sort().slice(0, -MAX_EVENT_IDS) : [];

/** The alert in an item. */
export const toAlert = (item: AlertItem): Alert => {
  const { eventIds, metadata, evidence, evidenceCount } = item;
  return Alert.parse({
    ...item,
    eventIds: shownIds(eventIds),
    metadata: metadata === undefined ? undefined : JSON.parse(metadata),
    evidence:
      evidenceCount === undefined
        ? undefined
        : Evidence.parse({ ...JSON.parse(evidence ?? "{}"), count: evidenceCount }),
  });
};

/** Which change of an item still waits to be published: creation, unless it is known to be, then what came last. */
export const pendingChange = ({ id, outboxAt, outboxChange }: AlertItem): AlertChange =>
  outboxChange ?? (outboxAt === timeOfAlertId(id) ? "raised" : "repeated");

/** Where an alert is found in the index of its status. */
export const placeInList = (scope: string, status: AlertStatus, alert: Pick<Alert, "firstSeen" | "id">) => ({
  statusKey: statusKey(scope, status),
  listKey: listKey(alert),
});

/** Where a change waits until it is known to be published. @param at epoch ms. */
export const placeInOutbox = (hash: string, at: number) => ({ outboxShard: outboxShard(hash), outboxAt: at });

/** A new alert's item, but for its key and expiry. */
export const newAlertItem = (scope: string, hash: string, fresh: { alert: Alert; token: string; at: number }) => {
  const { eventIds, metadata, evidence: _, ...fields } = fresh.alert;
  return {
    ...fields,
    ...(eventIds.length > 0 && { eventIds }),
    ...(metadata !== undefined && { metadata: encodeJson(metadata) }),
    ...placeInList(scope, "open", fresh.alert),
    ...placeInOutbox(hash, fresh.at),
    scope,
    token: fresh.token,
  };
};

/** What raising writes once, when it makes the alert: everything that it would otherwise leave as it is. */
export const firstFields = ({ rule, subject, title, message }: Raising) => ({
  rule,
  subject,
  title,
  ...(message !== undefined && { message }),
});
