import { categories } from "../../shared/security/security-event.ts";
import { typeCodes } from "../../shared/security/statistics/counter-encoding.ts";
import type { Counters } from "../../shared/security/statistics/counters.ts";
import { riskLevels } from "../../shared/terms/risk-levels.ts";

const names = Object.keys(typeCodes).slice(0, 12);

/** Counters with this many combinations of documented types and this many events; some events failed, some have a duration. */
export const dayOf = (combinations: number, events: number): Counters =>
  Array.from({ length: combinations }, (_, i) => {
    const ofEach = Math.ceil(events / combinations);
    const timed = Math.ceil(ofEach / 2);
    return {
      eventType: names[i % names.length] ?? "",
      category: categories[Math.floor(i / names.length) % categories.length] ?? "system",
      riskLevel: riskLevels[i % riskLevels.length] ?? "LOW",
      events: ofEach,
      failures: Math.ceil(ofEach / 9),
      timed,
      totalMicroseconds: timed * 137_000,
    };
  });
