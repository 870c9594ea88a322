/**
 * The metrics that functions write with their log lines (shared/runtime/log.ts), with their units in CloudWatch. The
 * infrastructure watches them (infra/constructs/monitoring/).
 */
export const metricUnits = {
  /** Log lines with a field `alarm`, which need an operator. */
  OperatorAlarms: "Count",
  /** Refused tokens, also those without a security event. */
  RefusedTokens: "Count",
  /** Calls of DynamoDB, KMS and Secrets Manager that failed after the SDK's retries: time-outs, throttling, denials, errors. */
  StoreFailures: "Count",
  /** Operations against the provider that failed after all attempts. */
  ProviderFailures: "Count",
  /** An organization's requests to the provider in the month so far; written each time another 1,000 are full. */
  ProviderReads: "Count",
  /** Webhooks of accounts that no organization has connected. */
  UnclaimedPlatformWebhooks: "Count",
  WithheldPlatformWebhooks: "Count",
  /** Occurrences of the schedule of syncs whose runs the hourly search had to request. */
  LostSyncOccurrences: "Count",
  /** The circuits that are open; written when a circuit opened or closed by itself. */
  OpenCircuits: "Count",
} as const;

export type MetricName = keyof typeof metricUnits;

/** The namespace of a stage's metrics: stages of one account must not share a metric. */
export const metricNamespaceOf = (stage: string): string => `PlantStore/${stage}`;
