import { judgeFraudWarning, judgeMoneyHour } from "../../shared/detection/rules/rules.ts";
import { type MoneyEvent, timeOf } from "../../shared/money/money.ts";
import type { MoneyHistory } from "../../shared/money/money-baseline.ts";
import { createHourTally, type DayCounts, type HourCounts } from "../../shared/money/money-counts.ts";
import type { Finding } from "../../shared/security/alerts/finding.ts";
import { dayName } from "../../shared/terms/hours.ts";
import { DAY, HOUR } from "./events.ts";

const noCounts = { succeeded: 0, failed: 0, refunds: 0, disputes: 0, warnings: 0, payouts: 0, amounts: {} };

const dayWith = (before: DayCounts, hour: HourCounts): DayCounts => {
  const amounts: Record<string, number> = { ...before.amounts };
  for (const [currency, amount] of Object.entries(hour.amounts)) amounts[currency] = (amounts[currency] ?? 0) + amount;
  return {
    ...before,
    succeeded: before.succeeded + hour.succeeded,
    failed: before.failed + hour.failed,
    refunds: before.refunds + hour.refunds,
    disputes: before.disputes + hour.disputes,
    amounts,
  };
};

/** Judges an organization's money hour by hour, as detection would. */
export const createMoneyReplay = () => {
  const days = new Map<string, DayCounts>();
  const hours = new Map<number, HourCounts>();
  const places = new Map<string, number>();

  const judgeWarning = (event: MoneyEvent): Finding[] => {
    const at = timeOf(event);
    const place = (places.get(dayName(at)) ?? 0) + 1;
    places.set(dayName(at), place);
    const finding = judgeFraudWarning({ eventId: event.id, at, payment: event.money.payment ?? event.id, place });
    return finding === undefined ? [] : [finding];
  };

  /** @param start of the next hour, epoch ms. @param events its own, in any order, perhaps repeated. */
  return (start: number, events: readonly MoneyEvent[]): Finding[] => {
    const once = [...new Map(events.map((event) => [event.id, event])).values()];
    if (once.length === 0) return [];
    const tally = createHourTally();
    tally.add(once.map(({ money }) => money));
    const counts = tally.counts();
    for (const hour of hours.keys()) {
      if (hour >= start - 29 * DAY) break;
      hours.delete(hour);
    }
    const history: MoneyHistory = { days: [...days.values()], hours };
    const findings = judgeMoneyHour({ hour: { start, end: start + HOUR }, counts, history });
    const day = dayName(start);
    days.set(day, dayWith(days.get(day) ?? { ...noCounts, day }, counts));
    hours.set(start, counts);
    return [...once.filter(({ money }) => money.kind === "warning").flatMap(judgeWarning), ...findings];
  };
};
