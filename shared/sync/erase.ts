/** What an erasure does to sync runs: they keep times and counts, and lose ids of objects and the provider's messages. */
import * as z from "zod/mini";
import type { UserMatcher } from "../terms/mentions-user.ts";
import {
  type DataLocation,
  ERASED_TEXT,
  type Item,
  type ItemUpdate,
  type Partition,
  partitionLocation,
} from "../work/location.ts";
import { ACTIVITY_KEY } from "./activity-key.ts";
import { SET_ASIDE_PREFIX } from "./set-aside-store.ts";

const identity = { name: "runs", counter: "other" } as const;

/** The fields of an ended run that an erasure changes (sync-run.ts). */
const EndedRun = z.looseObject({
  error: z.optional(z.looseObject({ message: z.string() })),
  completeness: z.optional(
    z.record(z.string(), z.looseObject({ onlyListed: z.array(z.string()), onlyStored: z.array(z.string()) })),
  ),
});

const updateOf = (set: Item): ItemUpdate | undefined =>
  Object.keys(set).length === 0 ? undefined : { remove: [], set };

const withoutIds = (item: Item): ItemUpdate | undefined => {
  const { error, completeness = {} } = EndedRun.parse(item);
  const types = Object.entries(completeness);
  const hasIds = types.some(([, { onlyListed, onlyStored }]) => onlyListed.length + onlyStored.length > 0);
  const emptied = types.map(([type, side]) => [type, { ...side, onlyListed: [], onlyStored: [] }]);
  return updateOf({
    ...(error !== undefined && error.message !== ERASED_TEXT && { error: { ...error, message: ERASED_TEXT } }),
    ...(hasIds && { completeness: Object.fromEntries(emptied) }),
  });
};

/** Without a position in the feed, the next connection reads everything. */
const withoutPosition = (item: Item): ItemUpdate | undefined => {
  const remove = ["cursor", "lastSuccessAt"].filter((name) => item[name] !== undefined);
  return remove.length === 0 ? undefined : { remove, set: {} };
};

export const allRuns = (runs: Partition): DataLocation =>
  partitionLocation(identity, runs, (items) =>
    items.map((item) => {
      // Without it, the next connection reads the account's activity as for the first time.
      if (item.sortKey === ACTIVITY_KEY) return "delete";
      if (item.sortKey.startsWith("page#") || item.sortKey.startsWith(SET_ASIDE_PREFIX)) return "delete";
      if (item.sortKey.startsWith("run#")) return withoutIds(item);
      return item.sortKey === "state" ? withoutPosition(item) : undefined;
    }),
  );

/** An ended run does not name its requester; only the provider's message may mention the user. */
export const runsOfUser = (runs: Partition, { mentions }: UserMatcher): DataLocation =>
  partitionLocation(
    identity,
    runs,
    (items) =>
      items.map((item) => {
        const { error } = EndedRun.parse(item);
        return error !== undefined && mentions(error.message)
          ? updateOf({ error: { ...error, message: ERASED_TEXT } })
          : undefined;
      }),
    { prefix: "run#" },
  );
