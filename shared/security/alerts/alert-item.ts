/**
 * The keys and items of alerts. An unresolved alert's key is the hash of its rule and subject: raising it again needs no
 * search and cannot create a second alert. Its id ends in the hash, so the id is enough to find it. A resolved alert's
 * key is its id. Pure.
 */
import { createHash } from "node:crypto";
import * as z from "zod/mini";
import { partKey } from "../../terms/keys.ts";
import { ALERT_OUTBOX } from "../../terms/tables.ts";
import { defineShardedIndex } from "../../work/sharded-index.ts";
import { eventId, timeOfEventId } from "../event-id.ts";
import { Alert, type AlertChange, type AlertPosition, type AlertStatus, MAX_EVENT_IDS } from "./alert.ts";
import { attackOf } from "./attack-by-rule.ts";

/** The kind is part of the hash, so that findings can be read without other alerts. */
const kinds = { event: "e", finding: "f", manual: "m", drill: "d" } as const;

const HASH_BYTES = 15;
const ID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}-([defm][A-Za-z0-9_-]{20})$/;
const TIME_DIGITS = 15;

/** 21 characters: the kind's letter, and a digest of rule and subject (120 bits). */
export const alertHash = (kind: keyof typeof kinds, rule: string, subject: string): string => {
  const digest = createHash("sha256").update(`${rule}\n${subject}`).digest();
  return kinds[kind] + digest.subarray(0, HASH_BYTES).toString("base64url");
};

/**
 * @param at when the alert was raised, epoch ms.
 * @param random 16 bytes.
 */
export const alertId = (hash: string, at: number, random: Uint8Array): string => `${eventId(at, random)}-${hash}`;

/** The hash in an alert's id; undefined if the text is not an alert's id. */
export const hashOfAlertId = (id: string): string | undefined => ID.exec(id)?.[1];

/** An alert's name in logs: its id without the hash, from which an address or a user could be guessed. */
export const alertNameInLogs = (id: string): string => id.slice(0, id.indexOf("-"));

/** When an alert was raised, epoch ms; undefined if the text is not an alert's id. */
export const timeOfAlertId = (id: string): number | undefined => timeOfEventId(alertNameInLogs(id));

/** The prefix of the sort keys of an organization's unresolved alerts. */
export const UNRESOLVED = "open#";

/** The sort key of the unresolved alert of a hash. */
export const unresolvedKey = (hash: string): string => UNRESOLVED + hash;

/** The sort key of a resolved alert. */
export const resolvedKey = (id: string): string => `closed#${id}`;

/** The prefix of the sort keys of an organization's unresolved findings. */
export const UNRESOLVED_FINDINGS = UNRESOLVED + kinds.finding;

/** The partition of index byStatus with an organization's alerts of a status. */
export const statusKey = (scope: string, status: AlertStatus): string => partKey(scope, status);

/** The sort key of index byStatus: firstSeen, then id. */
export const listKey = ({ firstSeen, id }: Pick<Alert, "firstSeen" | "id">): string =>
  `${String(firstSeen).padStart(TIME_DIGITS, "0")}#${id}`;

/** The position that a list key names. */
export const positionOfListKey = (key: string): AlertPosition => ({
  firstSeen: Number(key.slice(0, TIME_DIGITS)),
  id: key.slice(TIME_DIGITS + 1),
});

/** Alerts and notes with a change that waits for publication. */
export const outboxIndex = defineShardedIndex(ALERT_OUTBOX, { count: 8, prefix: "outbox#" });

/** The attributes of index byStatus. */
export const statusEntry = (scope: string, status: AlertStatus, alert: Pick<Alert, "firstSeen" | "id">) => ({
  statusKey: statusKey(scope, status),
  listKey: listKey(alert),
});

/** The attributes of index byOutbox, which an alert has until its change is published. @param at epoch ms. */
export const outboxEntry = (hash: string, at: number) => ({
  outboxShard: outboxIndex.shardOf(hash.charAt(1)),
  outboxAt: at,
});

/** A set if events or findings raised the alert, a list in the operator's order if an operator did. */
const ids = z.union([z.set(z.string()), z.array(z.string())]);

/**
 * An alert's item, with nested values as JSON text; `attack` only of a rule that is not built in. Beside the alert's own fields: `token` names the operator's request
 * that wrote it last, `occurrences` the triggers of a finding, `outboxAt` since when a change waits for publication,
 * `assignments` counts them, and `notesUntil` is when its first note expires (epoch seconds; alert-note.ts).
 */
const AlertItem = z.extend(Alert, {
  eventIds: z.optional(ids),
  metadata: z.optional(z.string()),
  evidence: z.optional(z.string()),
  evidenceCount: z.optional(z.number()),
  attack: z.optional(z.string()),
  occurrences: z.optional(ids),
  ttl: z.number(),
  token: z.optional(z.string()),
  outboxAt: z.optional(z.number()),
  outboxChange: z.optional(z.enum(["acknowledged", "resolved"])),
  assignments: z.optional(z.number()),
  notesUntil: z.optional(z.number()),
});
export type AlertItem = z.output<typeof AlertItem>;

export const parseAlertItem = (item: unknown): AlertItem => AlertItem.parse(item);

/** The item that a failed condition returned; undefined if there is none. */
export const parseRejected = (item: Readonly<Record<string, unknown>> | undefined): AlertItem | undefined =>
  item === undefined || Object.keys(item).length === 0 ? undefined : parseAlertItem(item);

/** @param now epoch ms. */
export const isExpired = ({ ttl }: { ttl: number }, now: number): boolean => ttl <= Math.floor(now / 1000);

/** The oldest ids of a set that has more than an alert shows. */
export const surplusIds = (stored: AlertItem["eventIds"]): string[] =>
  stored instanceof Set ? [...stored].sort().slice(0, -MAX_EVENT_IDS) : [];

/** The alert in an item. */
export const toAlert = (item: AlertItem): Alert => {
  const { eventIds = [], metadata, evidence = "{}", evidenceCount: count, attack } = item;
  return Alert.parse({
    ...item,
    eventIds: Array.isArray(eventIds) ? eventIds : [...eventIds].sort().reverse().slice(0, MAX_EVENT_IDS),
    metadata: metadata === undefined ? undefined : JSON.parse(metadata),
    evidence: count === undefined ? undefined : { ...JSON.parse(evidence), count },
    attack: attack === undefined ? attackOf(item.rule) : JSON.parse(attack),
  });
};

/** The change of an item that waits for publication: its creation if that waits, otherwise the last change. */
export const pendingChange = ({ id, outboxAt, outboxChange }: AlertItem): AlertChange =>
  outboxChange ?? (outboxAt === timeOfAlertId(id) ? "raised" : "repeated");
