/** What a rule of detection is: a pure judgement of an hour's facts. docs/detection.md. */
import type { Finding, FindingRule } from "../../security/alerts/finding.ts";
import type { Fact } from "./fact.ts";

/** An hour, in epoch ms: from its start up to and without its end. */
export type Hour = { start: number; end: number };

/**
 * What came before the hour, in up to 28 days (baseline.ts): how much in all, the hours in which there could have been
 * any, and how much in the busiest hour of each day that had some, in no order.
 */
export type Baseline = { calls: number; hours: number; dailyPeaks: readonly number[] };

/** A run as the rules of sync see it; times in epoch ms. */
export type RunFact = {
  id: string;
  trigger: string;
  status: "running" | "succeeded" | "failed" | "cancelled";
  startedAt: number;
  finishedAt?: number;
};

/** What is known of the connection at the hour's end. Silence counts from the latest of the three times. */
export type ConnectionFact = {
  isConnected: boolean;
  /** Open or half open. */
  isCircuitOpen: boolean;
  isForcedOpen: boolean;
  lastSuccessAt?: number;
  connectedAt?: number;
  circuitClosedAt?: number;
  syncIntervalMs: number;
};

/** Everything that rules read: nothing else decides a finding. */
export type RuleInput = {
  hour: Hour;
  /** Of this hour and, before them, those carried into it: in order of time, then of id, none twice. */
  facts: readonly Fact[];
  baseline: Baseline;
  baselineOfUser: (userId: string) => Baseline;
  /** Whether an address, a resource or an error was seen in the 28 days before. */
  isKnown: (kind: "address" | "resource" | "error", value: string) => boolean;
  /** Runs that began in this hour and in the 28 days before it. */
  runs: readonly RunFact[];
  /** Of the runs that somebody or something asked for (rules/abnormal-sync-frequency.ts), an hour before this one. */
  runBaseline: Baseline;
  connection: ConnectionFact | undefined;
};

export type Rule = {
  id: FindingRule;
  /** Raised with every change of what it finds; an hour's window says by which version it was judged. */
  version: number;
  /**
   * What the judging of later hours must see of these facts, in order of time. Without it the rule's windows end with
   * the hour.
   */
  carries?: (input: RuleInput) => readonly Fact[];
  /** Findings whose last evidence lies in the hour, at most one per subject. */
  judge: (input: RuleInput) => readonly Finding[];
};
