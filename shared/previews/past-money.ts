/** The money of a preview's period: the counts of judged hours are judged again, and so are the early fraud warnings that have a place. */
import type { FraudWarning } from "../detection/evidence/money.ts";
import type { RulesSettings } from "../detection/rule-settings.ts";
import { judgeFraudWarning, judgeMoneyHour } from "../detection/rules/rules.ts";
import type { DayCounts, HourCounts } from "../money/money-counts.ts";
import { HOUR_MS } from "../terms/hours.ts";
import { JUDGED_AFTER_MS, type PastFinding } from "./judge-past-hour.ts";

/** A value of JSON. `days` oldest first; `hours` with those of the baseline before the period, by their start in epoch ms. */
export type PastMoney = { days: DayCounts[]; hours: [start: number, counts: HourCounts][]; warnings: FraudWarning[] };

export const noMoney: PastMoney = { days: [], hours: [], warnings: [] };

export const createPastMoney = ({ days, hours, warnings }: PastMoney) => {
  const history = { days, hours: new Map(hours) };

  return {
    has: (start: number): boolean =>
      history.hours.has(start) || warnings.some(({ at }) => at >= start && at < start + HOUR_MS),

    /** The findings of an hour. @param start epoch ms. */
    judge(start: number, settings: RulesSettings): PastFinding[] {
      const end = start + HOUR_MS;
      const counts = history.hours.get(start);
      const hourly = counts === undefined ? [] : judgeMoneyHour({ hour: { start, end }, counts, history }, settings);
      const ofWarnings = warnings
        .filter(({ at }) => at >= start && at < end)
        .flatMap((warning) => judgeFraudWarning(warning, settings) ?? []);
      return [
        ...hourly.map((finding) => ({ finding, raisedAt: end + JUDGED_AFTER_MS })),
        ...ofWarnings.map((finding) => ({ finding, raisedAt: finding.lastSeen })),
      ];
    },
  };
};
