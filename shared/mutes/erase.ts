/**
 * What an erasure does to mutes. An organization's are deleted. A user's erasure ends the mutes whose subject mentions the
 * user, and removes the user from the others; a mute never covers more by it. docs/erasure.md, "Mutes".
 */
import { inParallel } from "../runtime/in-parallel.ts";
import type { FindAlerts } from "../security/alerts/erase.ts";
import { timeOfEventId } from "../security/event-id.ts";
import type { UserMatcher } from "../terms/mentions-user.ts";
import {
  changesOf,
  type DataLocation,
  type Decision,
  deleteWithPrefix,
  ERASED_TEXT,
  type Item,
  NO_AUTHOR,
  type Partition,
  partitionLocation,
} from "../work/location.ts";
import { alertIdOfKey, hiddenPrefix, MUTE_PREFIX, MuteChange, pendingPrefix } from "./mute-item.ts";
import type { MuteStore } from "./mute-store.ts";

export type MuteDependencies = { mutes: Pick<MuteStore, "delete" | "end">; clock: () => number };

const AT_ONCE = 4;

const idOf = (key: string): string => key.slice(MUTE_PREFIX.length);

const mutesNamed = { name: "mutes", counter: "other" } as const;

/** Hidden and pending alerts. They name alerts, and destinations by id. */
const hiddenAlerts = (
  mutes: Partition,
  isErased: (alertIds: readonly string[]) => Promise<(alertId: string) => boolean>,
): DataLocation =>
  partitionLocation(
    { name: "hiddenAlerts", counter: "other" },
    mutes,
    async (items) => {
      const ids = items.map(({ sortKey }) => alertIdOfKey(sortKey));
      const erased = await isErased([...new Set(ids.filter((id) => id !== undefined))]);
      return ids.map((id) => (id !== undefined && erased(id) ? "delete" : undefined));
    },
    { attributes: [] },
  );

/** All mutes, with what they have hidden. The list of live mutes stays, without the deleted ones. */
export const allMutes = ({ mutes }: MuteDependencies, organizationId: string, partition: Partition): DataLocation[] => [
  {
    ...mutesNamed,
    createdAt: (key) => timeOfEventId(idOf(key)),
    read: async (after) => {
      const { items, next } = await partition.read(after, { prefix: MUTE_PREFIX, attributes: [] });
      const keys = items.map(({ sortKey }) => sortKey);
      return {
        keys,
        next,
        erase: () =>
          inParallel(keys.map(idOf), AT_ONCE, async (id) => {
            // In this order: after a crash in between, the mute is found again.
            for (const prefix of [hiddenPrefix(id), pendingPrefix(id)]) await deleteWithPrefix(partition, prefix);
            await mutes.delete(organizationId, id);
          }),
      };
    },
  },
  hiddenAlerts(partition, async () => () => true),
];

/** A change without its user, so that its event has none; the same one if the user has not made it. */
const cleanChange = (change: unknown, userId: string): MuteChange | undefined => {
  const { data } = MuteChange.safeParse(change);
  if (data?.by?.userId !== userId) return undefined;
  return { ...data, by: { requestId: data.by.requestId } };
};

/** Swept after the alerts. */
export const mutesOfUser = (
  { mutes, clock }: MuteDependencies,
  organizationId: string,
  partition: Partition,
  { userId, matcher, findAlerts }: { userId: string; matcher: UserMatcher; findAlerts: FindAlerts },
): DataLocation[] => {
  const { mentions } = matcher;
  const clean = ({ subject, reason, createdBy, endedBy, change }: Item): Decision => {
    const cleaned = cleanChange(change, userId);
    const set = {
      ...(mentions(subject) && { subject: ERASED_TEXT }),
      ...(mentions(reason) && { reason: ERASED_TEXT }),
      ...(createdBy === userId && { createdBy: NO_AUTHOR }),
      ...(cleaned && { change: cleaned }),
    };
    const remove = endedBy === userId ? ["endedBy"] : [];
    return remove.length === 0 && Object.keys(set).length === 0 ? undefined : { remove, set };
  };
  return [
    {
      ...mutesNamed,
      read: async (after) => {
        const attributes = ["subject", "reason", "createdBy", "endedBy", "change"];
        const { items, next } = await partition.read(after, { prefix: MUTE_PREFIX, attributes });
        const changes = changesOf(items, clean);
        const ended = items.filter(({ subject }) => mentions(subject)).map(({ sortKey }) => idOf(sortKey));
        return {
          keys: changes.map(({ key }) => key),
          next,
          erase: async () => {
            // Before the subject goes, by which the mute is found again after a crash.
            for (const id of ended) await mutes.end(organizationId, id, { action: "end_mute", at: clock() });
            await partition.apply(changes);
          },
        };
      },
    },
    hiddenAlerts(partition, async (ids) => {
      const stored = await findAlerts(ids);
      return (id) => !stored.has(id);
    }),
  ];
};
