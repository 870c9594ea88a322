/** Sync runs as clients see them. Decisions: docs/sync.md. */
import * as z from "zod/mini";
import { count, epochMs } from "../json/number-fields.ts";
import { forEachType, isOptional, RecordType, type RequiredType } from "../records/record.ts";
import { errorKinds } from "../terms/risk-levels.ts";

export const syncTriggers = ["scheduled", "manual", "connection", "webhook_gap"] as const;
export type SyncTrigger = (typeof syncTriggers)[number];

export const syncModes = ["full", "incremental"] as const;
export type SyncMode = (typeof syncModes)[number];

const syncStatuses = ["running", "succeeded", "failed", "cancelled"] as const;

/** The kinds of errors that end a run: the provider's, and the service's own. */
export const syncErrorCategories = [...errorKinds, "circuit_open", "connection", "system"] as const;
export type SyncErrorCategory = (typeof syncErrorCategories)[number];

/** A value for each type. Runs of earlier versions have none for the types that are optional. */
const perType = <Value extends z.ZodMiniType, Optional extends z.ZodMiniType>(value: Value, optional: Optional) =>
  z.object(
    forEachType((type) => (isOptional(type) ? optional : value)) as Record<RequiredType, Value> &
      Record<Exclude<RecordType, RequiredType>, Optional>,
  );

const nothing = { read: 0, written: 0 };

const Progress = z.object({
  read: count("Objects or changes that were read."),
  written: count("Records that changed."),
});
export type Progress = z.output<typeof Progress>;

/** The most ids of each side that a report lists. */
export const MAX_REPORTED_IDS = 100;

const reportedIds = (description: string) =>
  z.array(z.string()).register(z.globalRegistry, { description, override: { maxItems: MAX_REPORTED_IDS } });

export const Completeness = z
  .object({
    listed: count("Objects in the provider's lists."),
    stored: count("Records that are stored and not deleted."),
    setAside: z.optional(
      count("Objects of the lists that could not be stored as they are; left out if there are none."),
    ),
    onlyListed: reportedIds("Listed and not stored; 100 at most."),
    onlyStored: reportedIds("Stored and not listed; 100 at most."),
  })
  .register(z.globalRegistry, { id: "Completeness", description: "Both sides of a type, compared after a full run." });
export type Completeness = z.output<typeof Completeness>;

export const SyncRun = z
  .object({
    id: z.string(),
    trigger: z.enum(syncTriggers),
    mode: z.enum(syncModes),
    status: z.enum(syncStatuses),
    startedAt: epochMs("when the run was requested."),
    finishedAt: z.optional(epochMs("when it ended.")),
    progress: perType(
      Progress,
      z._default(Progress, () => nothing),
    ),
    /** Only for a full run that read every type to its end; without the types of `notRead`. */
    completeness: z.optional(perType(Completeness, z.optional(Completeness))),
    notRead: z.optional(z.array(RecordType)).register(z.globalRegistry, {
      description:
        "Types that the run left out because the credentials may not read them; absent if there are none. The connection's `missing.permissions` names the permissions.",
    }),
    healed: z.optional(count("Changes in the feed that no webhook had delivered, if webhooks are expected.")),
    setAside: z.optional(count("Objects that could not be stored and are set aside; left out if there are none.")),
    error: z.optional(
      z.object({
        category: z.enum(syncErrorCategories).register(z.globalRegistry, {
          description:
            "`rate_limit`, `network`, `provider`: the provider limits, cannot be reached or fails; the next run continues. `authentication`, `connection`: connect the account again. `authorization`: the credentials lack a permission. `validation`: the provider rejects a request. `circuit_open`: wait until the circuit closes. `system`: a fault of the service.",
        }),
        message: z.string(),
      }),
    ),
  })
  .register(z.globalRegistry, {
    id: "SyncRun",
    description:
      "One run. It is `succeeded` only if every record type was read to its end, but for those of `notRead`.",
  });
export type SyncRun = z.output<typeof SyncRun>;

export const noProgress = (): SyncRun["progress"] => forEachType(() => nothing);

const MODE_EXPECTED = "expected full or incremental";

/** The body of POST …/sync. */
export const SyncRequest = z
  .object({
    mode: z.optional(z.enum(syncModes, { error: MODE_EXPECTED })).register(z.globalRegistry, {
      description:
        "`full` reads everything again and compares both sides. By default a run is incremental if it can be.",
    }),
  })
  .register(z.globalRegistry, { id: "SyncRequest", description: "The mode of the run." });
export type SyncRequest = z.output<typeof SyncRequest>;
