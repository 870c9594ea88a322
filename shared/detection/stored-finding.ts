import * as z from "zod/mini";
import { riskLevels } from "../terms/risk-levels.ts";

/** A finding as a judged hour and the result of own rules store it. */
export const StoredFinding = z.object({
  rule: z.string(),
  subject: z.string(),
  title: z.string(),
  level: z.enum(riskLevels),
  message: z.optional(z.string()),
  occurrence: z.string(),
  eventIds: z.array(z.string()),
  evidence: z.looseObject({ count: z.number() }),
  firstSeen: z.number(),
  lastSeen: z.number(),
});
