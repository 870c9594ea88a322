/** The risk of a failed operation, by what kind of error it met. Spec: "Errors", 1. */
import type { RiskLevel } from "../terms/risk-levels.ts";

/** The kinds of errors that operations against the provider meet. */
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
  // Decisions: anything else of the provider's own, a 5xx.
  provider: "MEDIUM",
};

export const riskOfError = (kind: ErrorKind): RiskLevel => riskByKind[kind];
