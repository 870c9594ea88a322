/**
 * The provider keeps refusing the connection's credentials: the part of `repeated_auth_failures` about the connection.
 *
 * Reads: AUTHENTICATION_FAILURE of operations against the provider, and demands to reconnect. A key that is rejected while
 *   connecting is a PROVIDER_REQUEST, and is not read.
 * Groups, thresholds, windows: `connection`: 3 rejections in 28 days without a succeeded run between them. Reconnecting
 *   does not begin a new series.
 * Deduplication: one finding per hour.
 * Severity: HIGH.
 * Reason: two failed connections may be a typing error.
 */
import type { Finding } from "../../security/alerts/finding.ts";
import { DAY_MS } from "../../terms/hours.ts";
import type { Fact } from "../evidence/fact.ts";
import { groupBy, isIn, recent } from "../evidence/windows.ts";
import { findingOfHour, listed, type RuleInput } from "./rule.ts";

export const rule = "repeated_auth_failures";

/** Rejections that no success has followed yet are carried for this long. */
const REJECTIONS_KEPT_MS = 28 * DAY_MS;
const MAX_CARRIED_REJECTIONS = 20;
/** Decisions: the deadline of an operation. */
const OPERATION_MS = 10_000;

export const connectionKind = {
  subject: "connection",
  title: "The provider keeps refusing the connection's credentials",
  level: "HIGH",
} as const;

/** The failed operation (with attempts), or the demand to reconnect that is recorded in addition. */
export const isRejection = ({ type, source, attempts, action }: Fact): boolean =>
  type === "AUTHENTICATION_FAILURE" &&
  source !== "webhook" &&
  (attempts !== undefined || action === "require_reconnect");

/** When runs succeeded, as far as is known: the log level may exclude their events. */
const successesOf = ({ facts, runs, hour, connection }: RuleInput): number[] =>
  [
    ...(connection?.lastSuccessAt === undefined ? [] : [connection.lastSuccessAt]),
    ...runs.flatMap(({ status, finishedAt }) =>
      status === "succeeded" && finishedAt !== undefined ? [finishedAt] : [],
    ),
    ...facts.flatMap(({ type, success, at }) => (type === "PROVIDER_SYNC_COMPLETED" && success ? [at] : [])),
  ]
    .filter((at) => at < hour.end)
    .sort((a, b) => a - b);

/** The rejections, each once: a demand to reconnect is recorded before the failed operation that led to it. */
const rejectionsOf = (facts: readonly Fact[]): Fact[] => {
  let reconnectAt = Number.NEGATIVE_INFINITY;
  return facts.filter(isRejection).filter(({ at, attempts }) => {
    if (attempts === undefined) reconnectAt = at;
    return attempts === undefined || at - reconnectAt >= OPERATION_MS;
  });
};

export const carriedRejections = (input: RuleInput): Fact[] => {
  const rejections = input.facts.filter(isRejection);
  if (rejections.length === 0) return [];
  const latestSuccess = successesOf(input).at(-1) ?? 0;
  const open = rejections.filter(({ at }) => at > latestSuccess);
  return recent(open, input.hour, REJECTIONS_KEPT_MS).slice(-MAX_CARRIED_REJECTIONS);
};

/** @param threshold the rejections of a finding. */
export const connectionFindings = (input: RuleInput, threshold: number): Finding[] => {
  const { facts, hour } = input;
  if (!facts.some(isRejection)) return [];
  const successes = successesOf(input);
  /** Rejections without a success between them are one series. */
  const series = groupBy(rejectionsOf(facts), ({ at }) => String(successes.findLast((success) => success <= at)));
  const evidence = [...series.values()]
    .filter((rejections) => rejections.some(({ at }, index) => index >= threshold - 1 && isIn(hour, at)))
    .flat();
  if (evidence.length === 0) return [];
  const reasons = listed(evidence.map(({ errorCode }) => errorCode));
  return [
    findingOfHour(hour, evidence, {
      rule,
      kind: connectionKind,
      evidence: { count: evidence.length, threshold, reasons },
    }),
  ];
};
