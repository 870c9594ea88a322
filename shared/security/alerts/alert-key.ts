/**
 * Where an alert lies in its organization's partition. An unresolved one lies under the hash of what it is about, so
 * that raising it again needs no search and can make no second one; its id ends in that hash, so that the id alone
 * finds it. A resolved one lies under its id.
 */
import { createHash } from "node:crypto";
import { partKey } from "../../terms/keys.ts";
import { eventId, timeOfEventId } from "../event-id.ts";

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
