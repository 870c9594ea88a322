/**
 * The stored items of previews. Table Previews: partition key `scope` (the organization's), sort key `key`, expiry `ttl`,
 * 7 days after the request:
 *
 * - `preview#<id>` a preview: `change` and `result` as JSON text; until it ends, `openShard`, the partition key of the
 *   sparse index byOpen, `work`, which names the state of the last checkpoint, and the lease (shared/work/lease.ts).
 * - `state#<id>#<token>#<number>` a part of the state of a checkpoint, `bytes` compressed (state-store.ts).
 * - `running` the preview that has not ended, as `id`: there is at most one.
 */
import * as z from "zod/mini";
import { Definition } from "../detection/custom-rules/custom-rule.ts";
import { RuleSettings } from "../detection/rule-settings.ts";
import { definedFields } from "../json/defined-fields.ts";
import { MuteScope } from "../mutes/mute.ts";
import { builtInRules } from "../security/alerts/finding.ts";
import { HOUR_MS } from "../terms/hours.ts";
import { organizationKey } from "../terms/keys.ts";
import { OPEN_PREVIEWS } from "../terms/tables.ts";
import { LEASE_ATTRIBUTES } from "../work/lease.ts";
import { defineShardedIndex } from "../work/sharded-index.ts";
import { PREVIEW_KEPT_MS, type Preview, PreviewResult, previewErrors, previewStatuses } from "./preview.ts";

export const PREVIEW_PREFIX = "preview#";

export const previewKey = (organizationId: string, previewId: string) => ({
  scope: organizationKey(organizationId),
  key: PREVIEW_PREFIX + previewId,
});

export const runningKey = (organizationId: string) => ({ scope: organizationKey(organizationId), key: "running" });

export const openPreviews = defineShardedIndex(OPEN_PREVIEWS, { count: 1, prefix: "open#" });

/** What would change. `customRule`: with the id of a stored rule, or with none. */
export const Change = z.union([
  z.object({ kind: z.literal("rule"), rule: z.enum(builtInRules), settings: RuleSettings }),
  z.object({ kind: z.literal("customRule"), id: z.optional(z.string()), definition: Definition }),
  z.object({ kind: z.literal("mute"), mute: MuteScope }),
]);
export type Change = z.output<typeof Change>;

/** The state of a checkpoint, in parts, and the hours that are judged by then. */
export const PreviewWork = z.object({ token: z.string(), parts: z.number(), hours: z.number() });
export type PreviewWork = z.output<typeof PreviewWork>;

const Item = z.object({
  key: z.string(),
  status: z.enum(previewStatuses),
  days: z.number(),
  change: z.string(),
  readFrom: z.number(),
  from: z.number(),
  to: z.number(),
  reads: z.number(),
  requestedAt: z.number(),
  requestedBy: z.string(),
  work: z.optional(PreviewWork),
  result: z.optional(z.string()),
  error: z.optional(z.enum(Object.keys(previewErrors) as (keyof typeof previewErrors)[])),
  leaseUntil: z.optional(z.number()),
});

/** A stored preview. Times are epoch ms; `readFrom`: the first hour that is judged, before the period. */
export type StoredPreview = Omit<z.output<typeof Item>, "key" | "change" | "result"> & {
  id: string;
  change: Change;
  result?: PreviewResult | undefined;
};

/** The attributes that are removed when a preview ends. */
export const WORK_ATTRIBUTES = ["work", openPreviews.partitionKey, ...LEASE_ATTRIBUTES] as const;

/** @throws ZodError if the item is not a preview, which is a bug. */
export const parsePreview = (item: unknown): StoredPreview => {
  const { key, change, result, ...fields } = Item.parse(item);
  return {
    ...fields,
    id: key.slice(PREVIEW_PREFIX.length),
    change: Change.parse(JSON.parse(change)),
    ...definedFields({ result: result === undefined ? undefined : PreviewResult.parse(JSON.parse(result)) }),
  };
};

export const expiresAtOf = ({ requestedAt }: Pick<StoredPreview, "requestedAt">): number =>
  requestedAt + PREVIEW_KEPT_MS;

/** The preview as clients see it. */
export const toPreview = (stored: StoredPreview): Preview => {
  const { id, status, days, readFrom, from, to, reads, requestedAt, requestedBy, work, result, error } = stored;
  const of = Math.round((to - readFrom) / HOUR_MS);
  return {
    id,
    status,
    days,
    from,
    to,
    reads,
    progress: { hours: status === "succeeded" ? of : (work?.hours ?? 0), of },
    requestedAt,
    requestedBy,
    expiresAt: expiresAtOf(stored),
    ...definedFields({ result }),
    ...(error !== undefined && { error: { code: error, message: previewErrors[error] } }),
  };
};
