/** From the least to the worst. Stored and returned in upper case, accepted in any. Spec: "riskLevel values". */
export const riskLevels = ["LOW", "MEDIUM", "HIGH", "CRITICAL"] as const;
export type RiskLevel = (typeof riskLevels)[number];

/** Whether a level is at least another. */
export const isAtLeast = (level: RiskLevel, least: RiskLevel): boolean =>
  riskLevels.indexOf(level) >= riskLevels.indexOf(least);
