/**
 * The items of table Drills: partition key `scope` (the organization's), sort key `key`, expiry `ttl`.
 *
 * - `drill#<id>` a drill. Its id sorts by time. Until it ends, it is in index `byOpen`.
 * - `current` the drill that was started last, and the number of drills of its day; `version` changes with each write.
 *
 * Scope `#dispatcher`, key `monthly`: `through` is the last occurrence for which all monthly drills were started.
 */
import * as z from "zod/mini";
import { definedFields } from "../json/defined-fields.ts";
import { organizationKey } from "../terms/keys.ts";
import { Requester } from "../terms/requester.ts";
import { OPEN_DRILLS } from "../terms/tables.ts";
import { defineShardedIndex } from "../work/sharded-index.ts";
import { type Drill, DrillDelivery, drillStatuses, type StartedDrill } from "./drill.ts";

export const openDrills = defineShardedIndex(OPEN_DRILLS, { count: 2, prefix: "open#" });

export const DRILL_PREFIX = "drill#";

export const drillKey = (organizationId: string, id: string) => ({
  scope: organizationKey(organizationId),
  key: DRILL_PREFIX + id,
});

export const currentKey = (organizationId: string) => ({ scope: organizationKey(organizationId), key: "current" });

export const MONTHLY_KEY = { scope: "#dispatcher", key: "monthly" };

/** The user's request of a drill whose event is not recorded yet. Of an erased user only the request's id is left. */
export const DrillOrigin = z.extend(z.partial(Requester), { requestId: z.string() });
export type DrillOrigin = z.output<typeof DrillOrigin>;

/**
 * `destinationIds`: those that were active when the alert was raised. `deliveries`: as they were when the drill ended.
 * Times are epoch ms.
 */
export const StoredDrill = z.object({
  key: z.string(),
  status: z.enum(drillStatuses),
  startedAt: z.number(),
  origin: z.optional(DrillOrigin),
  recordedAt: z.optional(z.number()),
  judgedAt: z.optional(z.number()),
  destinationIds: z.optional(z.array(z.string())),
  alertedAt: z.optional(z.number()),
  alertId: z.optional(z.string()),
  endedAt: z.optional(z.number()),
  deliveries: z.optional(z.array(DrillDelivery)),
  ttl: z.number(),
});
export type StoredDrill = Omit<z.output<typeof StoredDrill>, "key"> & { id: string };

/** @throws ZodError if the item is not a drill, which is a bug. */
export const parseDrill = (item: unknown): StoredDrill => {
  const { key, ...fields } = StoredDrill.parse(item);
  return { ...fields, id: key.slice(DRILL_PREFIX.length) };
};

export const CurrentDrill = z.object({ id: z.string(), day: z.string(), count: z.number(), version: z.string() });
export type CurrentDrill = z.output<typeof CurrentDrill>;

export const Monthly = z.object({ through: z.number() });

export const toStartedDrill = ({ id, startedAt }: Pick<StoredDrill, "id" | "startedAt">): StartedDrill => ({
  id,
  status: "running",
  startedAt,
});

/** The drill as clients see it. @param deliveries as they are now, or were at its end. */
export const toDrill = (
  { id, status, startedAt, endedAt, alertId, recordedAt, judgedAt, alertedAt }: StoredDrill,
  deliveries: readonly DrillDelivery[],
  acknowledgement: { acknowledgedAt?: number | undefined; acknowledgedBy?: string | undefined },
): Drill => {
  const { acknowledgedAt, acknowledgedBy } = acknowledgement;
  return {
    id,
    status,
    startedAt,
    ...definedFields({ endedAt, alertId }),
    stages: {
      ...definedFields({ recordedAt, judgedAt, alertedAt }),
      deliveries: [...deliveries],
      ...definedFields({ acknowledgedAt, acknowledgedBy }),
    },
  };
};
