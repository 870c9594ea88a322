/** From lowest to highest. Stored and returned in upper case, accepted in any case. Spec: "riskLevel values". */
export const riskLevels = ["LOW", "MEDIUM", "HIGH", "CRITICAL"] as const;
export type RiskLevel = (typeof riskLevels)[number];

/** Whether a level is at least another. */
export const isAtLeast = (level: RiskLevel, least: RiskLevel): boolean =>
  riskLevels.indexOf(level) >= riskLevels.indexOf(least);

/** Kinds of errors of operations against the provider. */
export const errorKinds = [
  "rate_limit",
  "authentication",
  "authorization",
  "network",
  "validation",
  "provider",
] as const;
export type ErrorKind = (typeof errorKinds)[number];

const riskByKind: Record<ErrorKind, RiskLevel> = {
  rate_limit: "HIGH",
  authentication: "HIGH",
  authorization: "HIGH",
  network: "MEDIUM",
  validation: "LOW",
  // Decisions: any other error of the provider, such as a 5xx status.
  provider: "MEDIUM",
};

/** The risk of a failed operation. Spec: "Errors", 1. */
export const riskOfError = (kind: ErrorKind): RiskLevel => riskByKind[kind];
