/**
 * Previews: what a change of detection, or a mute, would have done. A preview judges the stored events of past days again,
 * with the present settings and with the changed ones, and compares the findings. It raises and sends nothing.
 * Reading order: this file has what the API accepts and returns; request-preview.ts takes a request, preview-worker.ts
 * judges hour by hour in the background, judge-past-hour.ts judges one hour, outcome.ts counts. docs/rules.md, "Previews".
 */
import * as z from "zod/mini";
import { PreviewedCustomRule } from "../detection/custom-rules/custom-rule.ts";
import { PreviewedRule } from "../detection/rule-request.ts";
import { boundedInteger } from "../json/bounded-integer.ts";
import { described } from "../json/described.ts";
import { count, epochMs } from "../json/number-fields.ts";
import { strictObject } from "../json/strict-object.ts";
import { MuteRequest } from "../mutes/mute.ts";
import { DAY_MS, HOUR_MS } from "../terms/hours.ts";
import { riskLevels } from "../terms/risk-levels.ts";

const MAX_DAYS = 90;
/** A preview reads at most this many events. Decisions: docs/limits.md, like all limits here. */
export const MAX_EVENTS = 2_000_000;
/** How long a preview is kept after its request. */
export const PREVIEW_KEPT_MS = 7 * DAY_MS;
/** A preview that takes longer fails, so that it does not occupy the organization's place for ever. */
export const TIME_LIMIT_MS = 6 * HOUR_MS;
/** The findings of each difference that are shown, the newest. */
export const MAX_SAMPLES = 20;

const ONE_OF = "expected exactly one of rule, customRule and mute";

const isOneOf = ({ rule, customRule, mute }: { rule?: unknown; customRule?: unknown; mute?: unknown }): boolean =>
  [rule, customRule, mute].filter((one) => one !== undefined).length === 1;

/** What the schemas cannot say, such as the bounds of thresholds, is checked by request-preview.ts. */
export const PreviewRequest = strictObject({
  days: boundedInteger(1, MAX_DAYS, "The days before the end of the last judged hour; cut at the retention of events."),
  rule: described(z.optional(PreviewedRule), "Settings of a built-in rule, as a PUT of the rule has them."),
  customRule: described(
    z.optional(PreviewedCustomRule),
    "An own rule; with the `id` of a rule, what would replace that rule.",
  ),
  mute: described(z.optional(MuteRequest), "A mute. It acts over the whole period, whatever its `from` and `until`."),
})
  .check(z.refine(isOneOf, { error: ONE_OF }))
  .register(z.globalRegistry, {
    id: "PreviewRequest",
    description: "The days to judge again, and exactly one of `rule`, `customRule` and `mute`.",
    override: ({ jsonSchema }) => {
      jsonSchema.oneOf = ["rule", "customRule", "mute"].map((name) => ({
        properties: { [name]: {} },
        required: [name],
        unevaluatedProperties: true,
      }));
    },
  });
export type PreviewRequest = z.output<typeof PreviewRequest>;

export const previewStatuses = ["queued", "running", "succeeded", "failed"] as const;

/** A finding that only one of both has. */
export const PreviewSample = z
  .object({
    rule: z.string(),
    subject: z.string(),
    title: z.string(),
    level: z.enum(riskLevels),
    hour: epochMs("the beginning of the finding's hour."),
    count: count("The events, or distinct values, that the finding rests on."),
    firstSeen: epochMs(),
    lastSeen: epochMs(),
    eventIds: z.array(z.string()),
  })
  .register(z.globalRegistry, { id: "PreviewSample", description: "A finding of a preview." });
export type PreviewSample = z.output<typeof PreviewSample>;

/** What the present settings, or the changed ones, make of the period. */
export const PreviewOutcome = z
  .object({
    alerts: count("Findings: one for each rule, subject and hour. Those of an own rule count in each mode."),
    byLevel: described(z.partialRecord(z.enum(riskLevels), z.number()), "The findings of each level that has some."),
    byDay: described(
      z.record(z.string(), z.number()),
      "The findings of each UTC day that has some, such as 2026-11-21.",
    ),
    notifications: count(
      "What the present destinations would be sent, after mutes and filters: each alert once for each destination while it is unresolved, and when its level rises.",
    ),
    atNight: count("Those of the notifications between 22:00 and 07:00 UTC."),
  })
  .register(z.globalRegistry, { id: "PreviewOutcome", description: "The findings and notifications of a period." });
export type PreviewOutcome = z.output<typeof PreviewOutcome>;

const samples = (description: string) => described(z.array(PreviewSample), description);

export const PreviewResult = z
  .object({
    from: epochMs("the beginning of the period."),
    to: epochMs("its end, exclusive: the end of the last judged hour."),
    now: PreviewOutcome,
    // biome-ignore lint/suspicious/noThenProperty: a field of the API, and not a function.
    then: PreviewOutcome,
    added: samples("Findings that only the changed settings make, newest first; at most 20."),
    removed: samples("Findings that only the present settings make, newest first; at most 20."),
    withheld: samples("Of a mute: findings on which it would have acted, newest first; at most 20."),
  })
  .register(z.globalRegistry, {
    id: "PreviewResult",
    description: "What the present settings (`now`) and the changed ones (`then`) make of the period.",
  });
export type PreviewResult = z.output<typeof PreviewResult>;

/** Why a preview failed. */
export const previewErrors = {
  too_slow: "The preview took longer than 6 hours. Preview fewer days.",
} as const;
export type PreviewErrorCode = keyof typeof previewErrors;

export const Preview = z
  .object({
    id: z.string(),
    status: z.enum(previewStatuses),
    days: count("As requested."),
    from: epochMs("the beginning of the period, after the retention has cut it."),
    to: epochMs("the end of the period, exclusive."),
    reads: count(
      "The stored events that it reads: those of the period, and those before it that the first hours need.",
    ),
    progress: z.object({
      hours: count("Hours that are judged, with those before the period."),
      of: count("Hours to judge."),
    }),
    requestedAt: epochMs(),
    requestedBy: z.string(),
    expiresAt: epochMs("when it is gone: 7 days after the request. An erasure deletes it at once."),
    result: z.optional(PreviewResult),
    error: z.optional(z.object({ code: z.string(), message: z.string() })),
  })
  .register(z.globalRegistry, {
    id: "Preview",
    description: "What a change of detection, or a mute, would have done: its progress, and then its result.",
  });
export type Preview = z.output<typeof Preview>;
