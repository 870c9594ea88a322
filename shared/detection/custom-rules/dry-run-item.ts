/**
 * What a rule of mode `dryRun` would have raised: an item per rule, made with the first finding. `revision`: of the rule
 * that it counts for; a changed rule starts again. `hours`: the hours that it counts, so that each is counted once.
 */
import * as z from "zod/mini";
import { encodeJson } from "../../json/encode-json.ts";
import type { Item } from "../../runtime/table.ts";
import { type DryRun, DryRunSample, MAX_SAMPLES } from "./custom-rule.ts";

/** More than an invocation judges late; each is the start of an hour, epoch ms. */
const MAX_HOURS = 100;

const Stored = z.object({
  revision: z.number(),
  since: z.number(),
  wouldHaveRaised: z.number(),
  hours: z.array(z.number()),
  samples: z.string(),
  version: z.string(),
});

/** `version`: new with every write. */
export type StoredDryRun = DryRun & { revision: number; hours: readonly number[]; version: string };

export const parseDryRun = (item: unknown): StoredDryRun => {
  const { samples, ...fields } = Stored.parse(item);
  return { ...fields, samples: z.array(DryRunSample).parse(JSON.parse(samples)) };
};

export const dryRunAttributes = ({ samples, ...fields }: StoredDryRun): Item => ({
  ...fields,
  samples: encodeJson(samples),
});

/** The findings of a rule in an hour. */
export type HourOfDryRun = { revision: number; since: number; hour: number; samples: readonly DryRunSample[] };

/**
 * The dry run with an hour, unless it has the hour; undefined if nothing changes, also if it counts for a later revision.
 * @param version of the result.
 */
export const withHour = (
  before: StoredDryRun | undefined,
  { revision, since, hour, samples }: HourOfDryRun,
  version: string,
): StoredDryRun | undefined => {
  if (before !== undefined && before.revision > revision) return undefined;
  const same = before?.revision === revision ? before : undefined;
  if (same?.hours.includes(hour)) return undefined;
  const newest = [...samples, ...(same?.samples ?? [])].sort((a, b) => b.lastSeen - a.lastSeen);
  return {
    revision,
    since,
    version,
    wouldHaveRaised: (same?.wouldHaveRaised ?? 0) + samples.length,
    hours: [...(same?.hours ?? []), hour].sort((a, b) => a - b).slice(-MAX_HOURS),
    samples: newest.slice(0, MAX_SAMPLES),
  };
};
