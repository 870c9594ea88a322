/** The risk levels, the most serious first, and their words. */
import type { Alert } from "../api/types.ts";

export const levels = ["CRITICAL", "HIGH", "MEDIUM", "LOW"] as const satisfies readonly Alert["level"][];

export const levelNames: Readonly<Record<Alert["level"], string>> = {
  CRITICAL: "Critical",
  HIGH: "High",
  MEDIUM: "Medium",
  LOW: "Low",
};
