/** What syncing has left besides records: ids of the provider's objects, and what the provider said of them. */
import * as z from "zod/mini";
import type { Naming } from "../terms/mentions-user.ts";
import { judgedPlace } from "./partition-places.ts";
import type { Change, Partition } from "./partition-store.ts";
import type { Place } from "./place.ts";

const named = { name: "runs", counts: "other" } as const;

/** As far as it matters here; shared/sync/sync-run.ts has the whole. */
const Ended = z.looseObject({
  error: z.optional(z.looseObject({ message: z.string() })),
  completeness: z.optional(
    z.record(z.string(), z.looseObject({ onlyListed: z.array(z.string()), onlyStored: z.array(z.string()) })),
  ),
});

const ERASED_TEXT = "[erased]";

type Item = Readonly<Record<string, unknown>> & { sortKey: string };
type Fate = Change["fate"] | undefined;

const changed = (set: Record<string, unknown>): Fate =>
  Object.keys(set).length === 0 ? undefined : { remove: [], set };

/** A run stays, with its times and counts, and without the ids and the provider's words. */
const withoutIds = (item: Item): Fate => {
  const { error, completeness = {} } = Ended.parse(item);
  const types = Object.entries(completeness);
  const hasIds = types.some(([, { onlyListed, onlyStored }]) => onlyListed.length + onlyStored.length > 0);
  const emptied = types.map(([type, side]) => [type, { ...side, onlyListed: [], onlyStored: [] }]);
  return changed({
    ...(error !== undefined && error.message !== ERASED_TEXT && { error: { ...error, message: ERASED_TEXT } }),
    ...(hasIds && { completeness: Object.fromEntries(emptied) }),
  });
};

/** How far the feed was read goes too: the next connection reads everything. */
const withoutPosition = (item: Item): Fate => {
  const remove = ["cursor", "lastSuccessAt"].filter((name) => item[name] !== undefined);
  return remove.length === 0 ? undefined : { remove, set: {} };
};

export const allOfRuns = (runs: Partition): Place =>
  judgedPlace(named, runs, async (items) =>
    items.map((item) => {
      if (item.sortKey.startsWith("page#")) return "delete";
      if (item.sortKey.startsWith("run#")) return withoutIds(item);
      return item.sortKey === "state" ? withoutPosition(item) : undefined;
    }),
  );

/** Whoever asked for a run is not stored with it once it is over; only words of the provider may name the user. */
export const runsOfUser = (runs: Partition, naming: Naming): Place =>
  judgedPlace(
    named,
    runs,
    async (items) =>
      items.map((item) => {
        const { error } = Ended.parse(item);
        if (error === undefined || !naming.names(error.message)) return undefined;
        return changed({ error: { ...error, message: ERASED_TEXT } });
      }),
    { prefix: "run#" },
  );
