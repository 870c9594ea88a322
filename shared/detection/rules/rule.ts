/**
 * A rule of detection is one file here, its cases in test/shared/detection/rules/, its rows in docs/detection.md, and one
 * line in rules.ts. It is pure: the same input gives the same findings. docs/detection.md, "Adding a rule".
 */
import type { FailingPart } from "../../runtime/note-failure.ts";
import { MAX_EVENT_IDS } from "../../security/alerts/alert.ts";
import type { Finding, FindingRule } from "../../security/alerts/finding.ts";
import { hourName } from "../../terms/hours.ts";
import type { RiskLevel } from "../../terms/risk-levels.ts";
import type { Baseline } from "../evidence/baseline.ts";
import type { Fact } from "../evidence/fact.ts";
import type { Latency } from "../evidence/latency.ts";
import type { FraudWarning, MoneyInput } from "../evidence/money.ts";
import type { ConnectionFact, RunFact } from "../evidence/syncing.ts";
import type { Hour } from "../evidence/windows.ts";
import type { Thresholds, ThresholdValues } from "./thresholds.ts";

/** Everything that an hour is judged by. */
export type RuleInput = {
  hour: Hour;
  /** The facts of the hour, and those carried into it: in order of time, then of id, each once. */
  facts: readonly Fact[];
  /** Of the organization's calls. */
  baseline: Baseline;
  baselineOfUser: (userId: string) => Baseline;
  /** Whether an address, a resource or an error occurred in the 28 days before. */
  isKnown: (kind: "address" | "resource" | "error", value: string) => boolean;
  /** Runs that started in the hour and in the 28 days before it. */
  runs: readonly RunFact[];
  /** Of requested runs, up to an hour before the hour. */
  runBaseline: Baseline;
  connection: ConnectionFact | undefined;
};

/** A refused request of a valid token, or a count of such. `at` in epoch ms; `eventId` of its security event. */
export type RefusedRequest = {
  eventId: string;
  at: number;
  errorCode: string;
  /** It starts with the request's method. */
  action: string;
  permission: string;
  ipAddress: string;
  userId: string | undefined;
  /** It contained a cursor or state that was issued to another organization. */
  namesOtherOrganization: boolean;
};

/** A failure of the store or the bus in one instance; `at` in epoch ms. */
export type ServiceFailure = { at: number; part: FailingPart };

/** A kind of finding. `subject`: whole, or its beginning, which an id completes. */
export type FindingKind = { subject: string; title: string; level: RiskLevel };

/** What a rule needs in addition to the hour's facts, and from when on; below that nothing is read. */
export type RuleNeeds = {
  /** Baselines of calls: from this many calls in the hour on. */
  calls?: number;
  /** The baseline of runs: from this many runs on that windows ending in the hour can contain. */
  runs?: number;
  /** The connection: once no run has succeeded for this many sync intervals. */
  silentIntervals?: number;
  /** An instance's failures of the service: those of this many ms. */
  failureWindowMs?: number;
  /** The latency of operations: once one took this many ms. */
  slowOperationMs?: number;
  /** What came before an hour's money: from this many of them in the hour on. */
  money?: Partial<Record<"failed" | "refunds" | "disputes", number>>;
};

/** What the weekly review recommends if the rule raised alerts. Apart from the rule, so that reports bundle no rules. */
export type Advice = { level: RiskLevel; action: string };

export type Rule = {
  id: FindingRule;
  /** Incremented with every change of the rule's findings; stored with each judged hour. */
  version: number;
  kinds: Readonly<Record<string, FindingKind>>;
  /** What an administrator may set. The functions below take the values that the organization has set. */
  thresholds: Thresholds;
  needs?: (set?: ThresholdValues) => RuleNeeds;
  /** The facts that judging later hours needs, in order of time. Without it, the rule's windows end with the hour. */
  carries?: (input: RuleInput, set?: ThresholdValues) => readonly Fact[];
  /** The findings whose last evidence lies in the hour, at most one per subject. */
  judge?: (input: RuleInput, set?: ThresholdValues) => readonly Finding[];
  /** At once: the finding of one refused request. Its event is then marked `judgedAtOnce`. */
  judgeRefusal?: (refused: RefusedRequest) => Finding | undefined;
  /** At once: the finding of an instance's recent failures, oldest first, which the last failure completes. */
  judgeFailures?: (failures: readonly ServiceFailure[], set?: ThresholdValues) => Finding | undefined;
  /** At once: the finding that the last operation completes. */
  judgeOperations?: (latency: Latency, set?: ThresholdValues) => Finding | undefined;
  /** The finding of an hour's money. Judged again, an hour that has grown may have one more, with another occurrence. */
  judgeMoney?: (input: MoneyInput, set?: ThresholdValues) => Finding | undefined;
  /** At once: the finding of an early fraud warning. */
  judgeWarning?: (warning: FraudWarning, set?: ThresholdValues) => Finding;
};

/** `id` completes the kind's subject. */
type Details = { rule: FindingRule; kind: FindingKind; id?: string; evidence: Finding["evidence"] };

const describe = ({ rule, kind: { subject, title, level }, id = "", evidence }: Details) => ({
  rule,
  subject: subject + id,
  title,
  level,
  evidence,
});

/** A finding of an hour. @param facts the evidence, in order of time, not empty. */
export const findingOfHour = (hour: Hour, facts: readonly Fact[], details: Details): Finding => ({
  ...describe(details),
  occurrence: hourName(hour.start),
  eventIds: facts.slice(-MAX_EVENT_IDS).map(({ id }) => id),
  firstSeen: facts.at(0)?.at ?? hour.start,
  lastSeen: facts.at(-1)?.at ?? hour.end,
});

/** A finding of one refused request. */
export const findingOfRefusal = ({ eventId, at }: RefusedRequest, { evidence, ...details }: Details): Finding => ({
  ...describe({ ...details, evidence: { ...evidence, threshold: 1 } }),
  occurrence: eventId,
  eventIds: [eventId],
  firstSeen: at,
  lastSeen: at,
});

/** Lists in evidence are short: evidence is stored in 2 KB. */
const MAX_LISTED = 10;

/** The first distinct values in order, for evidence. */
export const listed = (values: Iterable<string | undefined>): string[] =>
  [...new Set(values)]
    .filter((value) => value !== undefined)
    .sort()
    .slice(0, MAX_LISTED);
