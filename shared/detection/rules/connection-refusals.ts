/** Refusals of a connection's credentials by the provider. Part of repeated-auth-failures.ts. */
import type { Finding } from "../../security/alerts/finding.ts";
import { DAY_MS } from "../../terms/hours.ts";
import type { Fact } from "./fact.ts";
import { findingOfHour, isIn, listed, recent } from "./make-finding.ts";
import type { RuleInput } from "./rule.ts";
import { groupBy } from "./sliding-window.ts";

export const REFUSALS = 3;
/** Of a series that no success ends, so many refusals are remembered, and for so long. */
const MAX_REMEMBERED = 20;
const HORIZON_MS = 28 * DAY_MS;
/** Decisions: an operation gives up after so long. */
const OPERATION_MS = 10_000;

/** An operation against the provider has attempts; that a connection must be made anew is told beside. */
export const isConnectionRefusal = ({ type, source, attempts, action }: Fact): boolean =>
  type === "AUTHENTICATION_FAILURE" &&
  source !== "webhook" &&
  (attempts !== undefined || action === "require_reconnect");

/** When runs succeeded, as far as is known: the log level may leave out their events. */
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

/**
 * The refusals, each once: where tokens are refused for good, that is told before the operation tells how it failed.
 */
const refusalsOf = (facts: readonly Fact[]): Fact[] => {
  let reconnectAt = Number.NEGATIVE_INFINITY;
  return facts.filter(isConnectionRefusal).filter(({ at, attempts }) => {
    if (attempts === undefined) reconnectAt = at;
    return attempts === undefined || at - reconnectAt >= OPERATION_MS;
  });
};

/** Refusals that no success lies between, together. */
const seriesOf = (input: RuleInput): Fact[][] => {
  const successes = successesOf(input);
  const latestBefore = ({ at }: Fact) => String(successes.findLast((success) => success <= at));
  return [...groupBy(refusalsOf(input.facts), latestBefore).values()];
};

/** The refusals that nothing has ended yet. */
export const carriedRefusals = (input: RuleInput): Fact[] => {
  const refusals = input.facts.filter(isConnectionRefusal);
  if (refusals.length === 0) return [];
  const latestSuccess = successesOf(input).at(-1) ?? 0;
  const open = refusals.filter(({ at }) => at > latestSuccess);
  return recent(open, input.hour, HORIZON_MS).slice(-MAX_REMEMBERED);
};

export const connectionFindings = (input: RuleInput): Finding[] => {
  if (!input.facts.some(isConnectionRefusal)) return [];
  const evidence = seriesOf(input)
    .filter((series) => series.some(({ at }, index) => index >= REFUSALS - 1 && isIn(input.hour, at)))
    .flat();
  if (evidence.length === 0) return [];
  return [
    findingOfHour(input.hour, evidence, {
      rule: "repeated_auth_failures",
      subject: "connection",
      title: "The provider keeps refusing the connection's credentials",
      level: "HIGH",
      evidence: {
        count: evidence.length,
        threshold: REFUSALS,
        reasons: listed(evidence.map(({ errorCode }) => errorCode)),
      },
    }),
  ];
};
