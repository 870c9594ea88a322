/**
 * What follows when events about money are counted: early fraud warnings are judged at once, and hours that may be judged
 * already are marked, so that the next dispatch judges them again.
 */
import type { FraudWarningStore } from "../../money/fraud-warning-store.ts";
import { type MoneyEvent, timeOf } from "../../money/money.ts";
import type { Clock } from "../../runtime/clock.ts";
import { HOUR_MS, startOfHour } from "../../terms/hours.ts";
import type { RaiseFinding } from "../raise-finding.ts";
import type { RuleSettingsStore } from "../rule-settings-store.ts";
import { judgeFraudWarning } from "../rules/rules.ts";
import type { DueMoneyStore } from "./due-money-store.ts";

/** An hour that grows is judged again for this long; it is judged first within an hour after its end. Decisions §12. */
const JUDGED_AGAIN_MS = 49 * HOUR_MS;

const WITHOUT_RULE_BY_HOUR: readonly MoneyEvent["money"]["kind"][] = ["warning", "payout"];

export type WatchMoneyDependencies = {
  warnings: Pick<FraudWarningStore, "placeOfWarning">;
  marks: Pick<DueMoneyStore, "mark">;
  settings: Pick<RuleSettingsStore, "read">;
  raise: RaiseFinding;
  /** Whether an open hour is marked, too: the events leave no security event of a webhook, by which its judging finds them. */
  marksOpenHours: boolean;
  now: Clock;
};

/**
 * The returned function takes events that were counted, now or before: a repetition raises no second alert. It throws
 * DomainError `store_unavailable`, and Error if the bus does not take a change of an alert.
 */
export const createWatchMoney = (dependencies: WatchMoneyDependencies) => {
  const { warnings, marks, settings, raise, marksOpenHours, now } = dependencies;

  const judgeWarnings = async (organizationId: string, events: readonly MoneyEvent[]): Promise<void> => {
    if (events.length === 0) return;
    const ruleSettings = await settings.read(organizationId);
    for (const event of events) {
      const at = timeOf(event);
      const { payment = event.id } = event.money;
      const warning = { eventId: event.id, at, payment };
      const place = await warnings.placeOfWarning(organizationId, warning);
      const finding = judgeFraudWarning({ ...warning, place }, ruleSettings);
      if (finding !== undefined) await raise(organizationId, finding);
    }
  };

  /** The clock is read after the counting: an hour that ends later is judged with these events. */
  const markHours = async (organizationId: string, events: readonly MoneyEvent[]): Promise<void> => {
    const at = now();
    const judged = events.filter(({ money }) => !WITHOUT_RULE_BY_HOUR.includes(money.kind));
    for (const hour of new Set(judged.map((event) => startOfHour(timeOf(event))))) {
      const isOpen = hour === startOfHour(at);
      if ((!isOpen || marksOpenHours) && at - (hour + HOUR_MS) <= JUDGED_AGAIN_MS) {
        await marks.mark(organizationId, hour, at);
      }
    }
  };

  return async (organizationId: string, events: readonly MoneyEvent[]): Promise<void> => {
    await markHours(organizationId, events);
    await judgeWarnings(
      organizationId,
      events.filter(({ money }) => money.kind === "warning"),
    );
  };
};
