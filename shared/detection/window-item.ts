/**
 * An hour that was judged. One item per scope and hour, put once; which is what makes an evaluation happen once:
 *
 * `judgedAt` (epoch ms), `rules` the versions by which, `eventsRead` · `findings` · `carried` facts that the next hour's
 * windows reach back to · `today` what the day has had so far · `ended` the same of the day before, only in the first
 * hour judged of a day · `finishedAt` (epoch ms) since when all that follows from it is done.
 * What is nested lies in it as JSON text, and is left out where there is none: a quiet hour is one write unit.
 */
import * as z from "zod/mini";
import { encodeJson } from "../json/encode-json.ts";
import { type Finding, findingRules } from "../security/alerts/finding.ts";
import { expiryOf } from "../terms/hours.ts";
import { riskLevels } from "../terms/risk-levels.ts";
import { DayCounts } from "./day-counts.ts";
import { hourOfWindowKey, windowKey } from "./detection-keys.ts";
import { Fact } from "./rules/fact.ts";

const StoredFinding = z.object({
  rule: z.enum(findingRules),
  subject: z.string(),
  title: z.string(),
  level: z.enum(riskLevels),
  message: z.optional(z.string()),
  occurrence: z.string(),
  eventIds: z.array(z.string()),
  evidence: z.looseObject({ count: z.number() }),
  firstSeen: z.number(),
  lastSeen: z.number(),
});

/** The versions of the rules that judged an hour. */
export type RuleVersions = Readonly<Record<string, number>>;

/** `hour`: its start, epoch ms. */
export type Window = {
  hour: number;
  judgedAt: number;
  rules: RuleVersions;
  eventsRead: number;
  findings: readonly Finding[];
  carried: readonly Fact[];
  today: DayCounts;
  ended?: DayCounts | undefined;
  finishedAt?: number | undefined;
};

const json = z.optional(z.string());

const WindowItem = z.object({
  key: z.string(),
  judgedAt: z.number(),
  rules: z.record(z.string(), z.number()),
  eventsRead: z.number(),
  findings: json,
  carried: json,
  today: z.string(),
  ended: json,
  finishedAt: z.optional(z.number()),
});

const textOf = (list: readonly unknown[]): string | undefined => (list.length === 0 ? undefined : encodeJson(list));

export const toWindowItem = (
  scope: string,
  { hour, findings, carried, today, ended, ...fields }: Window,
  { retentionDays }: { retentionDays: number },
) => ({
  ...fields,
  scope,
  key: windowKey(hour),
  findings: textOf(findings),
  carried: textOf(carried),
  today: encodeJson(today),
  ended: ended && encodeJson(ended),
  ttl: expiryOf(hour, retentionDays),
});

const parsed = (text: string | undefined): unknown => (text === undefined ? [] : JSON.parse(text));

/** @throws ZodError where what is stored is no window: a bug of ours. */
export const parseWindow = (item: unknown): Window => {
  const { key, findings, carried, today, ended, ...fields } = WindowItem.parse(item);
  return {
    ...fields,
    hour: hourOfWindowKey(key),
    findings: z
      .array(StoredFinding)
      .parse(parsed(findings))
      .map(({ message, ...finding }) => ({ ...finding, ...(message !== undefined && { message }) })),
    carried: z.array(Fact).parse(parsed(carried)),
    today: DayCounts.parse(JSON.parse(today)),
    ...(ended !== undefined && { ended: DayCounts.parse(JSON.parse(ended)) }),
  };
};
