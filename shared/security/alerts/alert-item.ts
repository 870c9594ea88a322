/**
 * Where an alert lies in its organization's partition. An unresolved one lies under the hash of what it is about, so
 * that raising it again needs no search and can make no second one; its id ends in that hash, so that the id alone
 * finds it. A resolved one lies under its id.
 */
/** Alerts as items of the alert table. What is nested lies in them as JSON text. */

import { createHash } from "node:crypto";
import * as z from "zod/mini";
import { encodeJson } from "../../json/encode-json.ts";
import { partKey } from "../../terms/keys.ts";
import { eventId, timeOfEventId } from "../event-id.ts";
import { Alert, type AlertChange, type AlertStatus, Evidence, MAX_EVENT_IDS } from "./alert.ts";
import type { Raising } from "./alert-raiser.ts";

/** Events at the threshold, findings, and alerts of operators, told apart by key: findings are read by themselves. */
const kinds = { event: "e", finding: "f", manual: "m" } as const;
export type AlertKind = keyof typeof kinds;

const HASH_BYTES = 15;
const ID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}-([efm][A-Za-z0-9_-]{20})$/;
const TIME_DIGITS = 15;

/** 21 characters: the kind's letter, and a digest of rule and subject (120 bits). */
export const alertHash = (kind: AlertKind, rule: string, subject: string): string => {
  const digest = createHash("sha256").update(`${rule}\n${subject}`).digest();
  return kinds[kind] + digest.subarray(0, HASH_BYTES).toString("base64url");
};

/**
 * @param at when it was raised, epoch ms.
 * @param random 16 bytes.
 */
export const alertId = (hash: string, at: number, random: Uint8Array): string => `${eventId(at, random)}-${hash}`;

/** The hash in an alert's id; undefined for a text that is none. */
export const hashOfAlertId = (id: string): string | undefined => ID.exec(id)?.[1];

/** What logs call an alert: its id without the hash, by which an address or a user could be guessed. */
export const alertNameInLogs = (id: string): string => id.slice(0, id.indexOf("-"));

/** When an alert was raised, in epoch ms; undefined for a text that is no id. */
export const timeOfAlertId = (id: string): number | undefined => timeOfEventId(alertNameInLogs(id));

const UNRESOLVED = "open#";

/** The sort key of the unresolved alert of a hash. */
export const unresolvedKey = (hash: string): string => UNRESOLVED + hash;

/** The sort key of a resolved alert. */
export const resolvedKey = (id: string): string => `closed#${id}`;

/** What the sort keys of an organization's unresolved findings begin with. */
export const UNRESOLVED_FINDINGS = UNRESOLVED + kinds.finding;

/** The partition of the index that lists an organization's alerts of a status. */
export const statusKey = (scope: string, status: string): string => partKey(scope, status);

/** The order within it: by first sight, then by id. */
export const listKey = ({ firstSeen, id }: { firstSeen: number; id: string }): string =>
  `${String(firstSeen).padStart(TIME_DIGITS, "0")}#${id}`;

/** Changes that are not known to be published are looked for in each of these. */
export const OUTBOX_SHARDS = 8;

const shardName = (shard: number) => `outbox#${shard}`;

export const outboxShards: readonly string[] = Array.from({ length: OUTBOX_SHARDS }, (_, shard) => shardName(shard));

/** The part of the outbox that the changes of a hash's alert wait in. */
export const outboxShard = (hash: string): string => shardName((hash.codePointAt(1) ?? 0) % OUTBOX_SHARDS);

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
