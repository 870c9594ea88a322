/**
 * The service itself fails: its store or its bus.
 *
 * Reads: failed events whose error says that the store or the bus did not answer, or that the service failed. Most of such
 *   failures are found when they happen (the same threshold), and marked; this finds what was recorded unmarked.
 * Group: `system`. Threshold, window: 3 failures in 5 min. Deduplication: one finding per hour.
 * Severity: HIGH.
 * Reason: one failure is what retries are for; three within minutes are an outage of something, and should be told
 *   apart from the provider's (https://sre.google/sre-book/monitoring-distributed-systems/).
 */
import { catalogueEntry, type ErrorName } from "../../terms/error-catalogue.ts";
import { MINUTE_MS } from "../../terms/hours.ts";
import type { Fact } from "./fact.ts";
import { findingOfHour, isIn, listed, recent } from "./make-finding.ts";
import type { Rule } from "./rule.ts";
import { factsIn, heavyWindows } from "./sliding-window.ts";

const rule = "system_errors";

/** The hourly run and whoever counts failures as they happen share it. */
export const SYSTEM_FAILURES = { threshold: 3, windowMs: 5 * MINUTE_MS } as const;

export const SYSTEM_SUBJECT = "system";
export const SYSTEM_TITLE = "The store or the event bus keeps failing";

const names: readonly ErrorName[] = ["store_unavailable", "internal"];
const codes = new Set<string>(["system", ...names, ...names.map((name) => String(catalogueEntry(name).number))]);

const isSystemFailure = ({ success, errorCode, judgedAtOnce }: Fact): boolean =>
  !success && judgedAtOnce !== true && errorCode !== undefined && codes.has(errorCode);

export const systemErrors: Rule = {
  id: rule,
  version: 1,
  carries: ({ facts, hour }) => recent(facts.filter(isSystemFailure), hour, SYSTEM_FAILURES.windowMs),
  judge: ({ facts, hour }) => {
    const failures = facts.filter(isSystemFailure);
    const windows = heavyWindows(failures, { ...SYSTEM_FAILURES, weightOf: () => 1 });
    const evidence = factsIn(
      failures,
      windows.filter(({ to }) => isIn(hour, failures[to]?.at ?? hour.end)),
    );
    if (evidence.length === 0) return [];
    return [
      findingOfHour(hour, evidence, {
        rule,
        subject: SYSTEM_SUBJECT,
        title: SYSTEM_TITLE,
        level: "HIGH",
        evidence: {
          count: evidence.length,
          actions: listed(evidence.map(({ action }) => action)),
          ...SYSTEM_FAILURES,
        },
      }),
    ];
  },
};
