/** What a rule of detection is: a pure judgement of an hour's facts. docs/detection.md. */
import type { Finding, FindingRule } from "../security/alerts/finding.ts";
import type { Fact } from "./fact.ts";

/** An hour, in epoch ms: from its start up to and without its end. */
export type Hour = { start: number; end: number };

/** Calls per day, of up to 28 days before the hour; `hours` are those in which there could have been any. */
export type Baseline = { calls: number; hours: number };

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
  /** Of this hour and of the carried ones before it, by id, in order of time, none twice. */
  facts: readonly Fact[];
  baseline: Baseline;
  baselineOfUser: (userId: string) => Baseline;
  /** Whether an address, a resource or an error was seen in the 28 days before. */
  isKnown: (kind: "address" | "resource" | "error", value: string) => boolean;
  /** Runs that began in this hour and in the 28 days before it. */
  runs: readonly RunFact[];
  runBaseline: Baseline;
  connection: ConnectionFact | undefined;
};

export type Rule = {
  id: FindingRule;
  /** Raised with every change of what it finds; an hour is judged once for each version. */
  version: number;
  /** How long before the hour it must see facts that it keeps; 0 where its window never crosses the hour. */
  horizonMs: number;
  /** Whether a fact is carried into the hours of its horizon. */
  keeps: (fact: Fact) => boolean;
  /** Findings whose last evidence lies in the hour. */
  judge: (input: RuleInput) => readonly Finding[];
};
