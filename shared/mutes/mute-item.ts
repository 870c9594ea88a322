/**
 * The items of table Mutes: partition key `scope` (the organization's), sort key `key`, expiry `ttl`.
 *
 * - `mute#<id>` a mute with what it has hidden. Its id sorts by time. While it waits for its worker, it is in index `byDue`.
 * - `live` the mutes that have not ended, or whose end is not worked off yet: by id, when each ends. Without expiry.
 * - `hidden#<muteId>#<alertId>` an alert that a mute has hidden.
 * - `pending#<muteId>#<alertId>` likewise, until the mute's end is worked off for it.
 *
 * Items are parsed when they are read.
 */
import * as z from "zod/mini";
import { definedFields } from "../json/defined-fields.ts";
import { organizationKey } from "../terms/keys.ts";
import { Requester } from "../terms/requester.ts";
import { type RiskLevel, riskLevels } from "../terms/risk-levels.ts";
import { DUE_MUTES } from "../terms/tables.ts";
import { defineShardedIndex } from "../work/sharded-index.ts";
import { type Hidden, type Mute, MuteScope } from "./mute.ts";
import { stateOf } from "./mute-times.ts";

export const dueIndex = defineShardedIndex(DUE_MUTES, { count: 1, prefix: "due#" });

export const MUTE_PREFIX = "mute#";
const LIVE_KEY = "live";

const keyOf = (organizationId: string, key: string) => ({ scope: organizationKey(organizationId), key });

export const muteKey = (organizationId: string, id: string) => keyOf(organizationId, MUTE_PREFIX + id);
export const liveKey = (organizationId: string) => keyOf(organizationId, LIVE_KEY);
export const hiddenPrefix = (muteId: string): string => `hidden#${muteId}#`;
export const hiddenKey = (organizationId: string, muteId: string, alertId: string) =>
  keyOf(organizationId, hiddenPrefix(muteId) + alertId);
export const pendingPrefix = (muteId: string): string => `pending#${muteId}#`;
export const pendingKey = (organizationId: string, muteId: string, alertId: string) =>
  keyOf(organizationId, pendingPrefix(muteId) + alertId);

/** The alert in the sort key of a hidden or pending item; undefined for other keys. */
export const alertIdOfKey = (key: string): string | undefined => {
  const [kind, , alertId] = key.split("#");
  return kind === "hidden" || kind === "pending" ? alertId : undefined;
};

/**
 * A creation or an end whose event is not recorded yet. `at`: epoch ms. `by`: the user's request; a mute that ended by
 * itself has none, and of an erased user only the request's id is left.
 */
export const MuteChange = z.object({
  action: z.enum(["create_mute", "end_mute"]),
  at: z.number(),
  by: z.optional(z.extend(z.partial(Requester), { requestId: z.string() })),
});
export type MuteChange = z.output<typeof MuteChange>;

/** The attribute that counts the hidden alerts of a level. */
export const hiddenOf = (level: RiskLevel) => `hidden${level}` as const;

const counter = z._default(z.number(), 0);

/**
 * `drainedUntil`: up to when the ends of its spans are worked off. `dueAt`: when its worker must look at it next. Epoch ms.
 */
export const MuteItem = z.extend(MuteScope, {
  id: z.string(),
  reason: z.string(),
  createdBy: z.string(),
  createdAt: z.number(),
  endedAt: z.optional(z.number()),
  endedBy: z.optional(z.string()),
  drainedUntil: z.optional(z.number()),
  change: z.optional(MuteChange),
  hiddenAlerts: counter,
  hiddenNotifications: counter,
  hiddenLOW: counter,
  hiddenMEDIUM: counter,
  hiddenHIGH: counter,
  hiddenCRITICAL: counter,
  ttl: z.number(),
});
export type MuteItem = z.output<typeof MuteItem>;

/** When each live mute ends, by id. `version` changes with each write. */
export const LiveItem = z.object({
  live: z._default(z.record(z.string(), z.number()), {}),
  version: z.optional(z.string()),
});

/**
 * `level`: the highest at which the alert was hidden. `withheld`: the notifications, each as its change and destination.
 * `pendingUntil`: the end of the span in which it was hidden last, epoch ms.
 */
export const HiddenItem = z.object({
  level: z.enum(riskLevels),
  withheld: z._default(z.set(z.string()), new Set<string>()),
  pendingUntil: z.number(),
  version: z.string(),
});
export type HiddenItem = z.output<typeof HiddenItem>;

export const PendingItem = z.object({ key: z.string(), pendingUntil: z.number() });

export const parseMuteItem = (item: unknown): MuteItem => MuteItem.parse(item);

/** @param now epoch ms. */
export const isExpired = ({ ttl }: Pick<MuteItem, "ttl">, now: number): boolean => ttl * 1_000 <= now;

const hiddenBy = (item: MuteItem): Hidden => ({
  alerts: item.hiddenAlerts,
  notifications: item.hiddenNotifications,
  byLevel: Object.fromEntries(
    riskLevels.flatMap((level) => (item[hiddenOf(level)] > 0 ? [[level, item[hiddenOf(level)]]] : [])),
  ),
});

/** The mute as clients see it. A mute that ended by itself has ended at its time, even if no worker has seen it yet. */
export const toMute = (item: MuteItem, now: number): Mute => {
  const { rules, subject, levels, weekly, endedBy } = item;
  const endedAt = item.endedAt ?? (now >= item.until ? item.until : undefined);
  return {
    id: item.id,
    ...definedFields({ rules, subject, levels, weekly }),
    from: item.from,
    until: item.until,
    includeCritical: item.includeCritical,
    reason: item.reason,
    createdBy: item.createdBy,
    createdAt: item.createdAt,
    state: stateOf(item, now),
    ...definedFields({ endedAt, endedBy }),
    hidden: hiddenBy(item),
  };
};
