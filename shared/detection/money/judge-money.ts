/**
 * Judges an hour's money by its counted events, once the hour is over and again when they have grown. Whatever is judged
 * again has the same occurrence and counts once, so a crash at any point, a repeated delivery and concurrent invocations end
 * alike.
 */
import { baselineStart, type MoneyHistory } from "../../money/money-baseline.ts";
import type { MoneyHourStore } from "../../money/money-hour-store.ts";
import type { MoneyStore } from "../../money/money-store.ts";
import type { Finding } from "../../security/alerts/finding.ts";
import { HOUR_MS } from "../../terms/hours.ts";
import type { RaiseFinding } from "../raise-finding.ts";
import type { RuleSettingsStore } from "../rule-settings-store.ts";
import { judgeMoneyHour, needsMoneyHistory } from "../rules/rules.ts";
import type { DueMoneyStore } from "./due-money-store.ts";

export type JudgeMoneyDependencies = {
  days: Pick<MoneyStore, "readDays">;
  hours: Pick<MoneyHourStore, "tally" | "keep" | "raised" | "readHours">;
  marks: Pick<DueMoneyStore, "token" | "clear">;
  settings: Pick<RuleSettingsStore, "read">;
  raise: RaiseFinding;
};

/** @param start of the hour, epoch ms. @param of.isMarked whether a mark is to be cleared. @returns the number of findings. */
export type JudgeMoney = (organizationId: string, start: number, of: { isMarked: boolean }) => Promise<number>;

const nameOf = ({ rule, occurrence }: Finding): string => `${rule} ${occurrence}`;

/** The returned function throws DomainError `store_unavailable`, and Error if the bus does not take a change of an alert. */
export const createJudgeMoney = ({ days, hours, marks, settings, raise }: JudgeMoneyDependencies): JudgeMoney => {
  const readHistory = async (organizationId: string, start: number): Promise<MoneyHistory> => {
    const [allDays, allHours] = await Promise.all([
      days.readDays(organizationId),
      hours.readHours(organizationId, { from: baselineStart(start), to: start }),
    ]);
    return { days: allDays, hours: allHours };
  };

  const judge = async (organizationId: string, start: number): Promise<number> => {
    const counts = await hours.tally(organizationId, start);
    const { succeeded, failed, refunds, disputes } = counts;
    if (succeeded + failed + refunds + disputes === 0) return 0;
    const ruleSettings = await settings.read(organizationId);
    const hour = { start, end: start + HOUR_MS };
    const findings = needsMoneyHistory(counts, ruleSettings)
      ? judgeMoneyHour({ hour, counts, history: await readHistory(organizationId, start) }, ruleSettings)
      : [];
    // An alert of the hour that was resolved must not come back because the hour has grown.
    const raised = findings.length === 0 ? [] : await hours.raised(organizationId, start);
    const unraised = findings.filter((finding) => !raised.includes(nameOf(finding)));
    for (const finding of unraised) await raise(organizationId, finding);
    await hours.keep(organizationId, start, counts, [...raised, ...unraised.map(nameOf)]);
    return unraised.length;
  };

  return async (organizationId, start, { isMarked }) => {
    // Read before the events: what is counted later marks the hour again, with another token.
    const token = isMarked ? await marks.token(organizationId, start) : undefined;
    const findings = await judge(organizationId, start);
    if (token !== undefined) await marks.clear(organizationId, start, token);
    return findings;
  };
};
