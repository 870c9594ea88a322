/** Which events a question is about: everything given must hold. */
import type { RiskLevel } from "../terms/risk-levels.ts";
import type { Category } from "./security-event.ts";

export type Selection = {
  organizationId: string;
  /** Epoch ms, inclusive. */
  since: number;
  eventType?: string | undefined;
  category?: Category | undefined;
  riskLevel?: RiskLevel | undefined;
  userId?: string | undefined;
  processed?: boolean | undefined;
};
