/**
 * Judges the due hours of an organization, or of the events without one, in order; each hour once.
 *
 * First the result of an hour is stored, by a single put of its window; then everything that follows from it is done;
 * then the window is marked as finished. An invocation that finds an unfinished window does the rest again, which changes
 * nothing that was done before. So a crash at any point, a repeated delivery and concurrent invocations end alike.
 */
import type { Clock } from "../runtime/clock.ts";
import { HOUR_MS } from "../terms/hours.ts";
import type { Baselines } from "./baselines.ts";
import type { CustomRulesHour } from "./custom-rules/custom-rules-hour.ts";
import { type DetectionDue, detectionScope, organizationOfScope } from "./detection.ts";
import type { HourFactsStore } from "./event-facts-store.ts";
import { inOrder } from "./evidence/fact.ts";
import { createJudgeFacts, type ReadSyncFacts } from "./judge-facts.ts";
import type { JudgeMoney } from "./money/judge-money.ts";
import type { RaiseFinding } from "./raise-finding.ts";
import { type RulesSettings, revisionsOf } from "./rule-settings.ts";
import type { RuleSettingsStore } from "./rule-settings-store.ts";
import type { Rule } from "./rules/rule.ts";
import { hourlyRules, moneyRules } from "./rules/rules.ts";
import type { UnjudgedStore } from "./unjudged-store.ts";
import type { Window, WindowStore } from "./window-store.ts";

export type JudgeDependencies = {
  windows: Pick<WindowStore, "latest" | "put" | "markFinished">;
  events: HourFactsStore;
  settings: Pick<RuleSettingsStore, "read">;
  baselines: Baselines;
  readSyncFacts: ReadSyncFacts;
  customRules: CustomRulesHour;
  judgeMoney: JudgeMoney;
  raise: RaiseFinding;
  /** Marks a day (its start, epoch ms) for the organization's reports. Repeated, it changes nothing. */
  markReportsDue: (organizationId: string, day: number) => Promise<void>;
  now: Clock;
};

const versionsOf = (rules: readonly Rule[]): Record<string, number> =>
  Object.fromEntries(rules.map(({ id, version }) => [id, version]));

/** `isNew`: judged by this call. */
export type Judged = { window: Window; isNew: boolean };

export const createJudgeScope = (dependencies: JudgeDependencies) => {
  const { windows, events, settings, baselines, customRules, judgeMoney, raise, markReportsDue, now } = dependencies;
  const judgeFacts = createJudgeFacts(dependencies);

  const readSettings = async (organizationId: string | undefined): Promise<RulesSettings> =>
    organizationId === undefined ? {} : settings.read(organizationId);

  const isFirstOfDay = (window: Window, previous: Window | undefined): boolean =>
    window.ended !== undefined || previous === undefined;

  /** Does everything that follows from an hour, unless it is done. */
  const finish = async (scope: string, window: Window, previous: Window | undefined): Promise<void> => {
    if (window.finishedAt !== undefined) return;
    const organizationId = organizationOfScope(scope);
    for (const finding of window.findings) await raise(organizationId, finding);
    if (window.custom !== undefined) await customRules.finish(scope, window.hour, window.custom);
    if (window.ended !== undefined) await baselines.storeDay(scope, window.ended);
    if (organizationId !== undefined && isFirstOfDay(window, previous)) {
      await markReportsDue(organizationId, window.hour);
    }
    await windows.markFinished(scope, window.hour, now());
  };

  const judge = async (scope: string, start: number, previous: Window | undefined): Promise<Window> => {
    const at = now();
    const organizationId = organizationOfScope(scope);
    const [read, ruleSettings] = await Promise.all([events.readHour(scope, start, at), readSettings(organizationId)]);
    // Sorted once for all rules.
    const facts = inOrder(read);
    // Webhooks may have been counted. What the feed has counted is marked (money/watch-money.ts).
    const hasMoney = organizationId !== undefined && facts.some(({ source }) => source === "webhook");
    if (hasMoney) await judgeMoney(organizationId, start, { isMarked: false });
    const [judged, custom] = await Promise.all([
      judgeFacts({ scope, start, facts, settings: ruleSettings, previous, now: at }),
      organizationId === undefined
        ? undefined
        : customRules.judge(scope, { start, end: start + HOUR_MS }, facts, previous),
    ]);
    const { findings } = judged;
    const window: Window = {
      ...judged,
      hour: start,
      judgedAt: at,
      rules: { ...versionsOf(hourlyRules), ...(hasMoney && versionsOf(moneyRules)), ...custom?.revisions },
      settings: revisionsOf(ruleSettings),
      eventsRead: facts.length,
      custom: custom?.result,
    };
    // Nothing follows from most hours: then the put is the only write.
    const found = findings.length + (custom?.result?.findings ?? 0);
    const isQuiet = found === 0 && !isFirstOfDay(window, previous);
    return isQuiet ? { ...window, finishedAt: at } : window;
  };

  /**
   * Judges an hour, unless it was judged before; late events do not change that. If later hours were judged before it,
   * nothing is carried from it into them.
   * @param start of the hour, which must be over; epoch ms.
   * @throws what keeps the hour from being judged or finished.
   */
  return async (scope: string, start: number): Promise<Judged> => {
    const latest = await windows.latest(scope, start);
    if (latest?.hour === start) {
      const previous = latest.finishedAt === undefined ? await windows.latest(scope, start - HOUR_MS) : undefined;
      await finish(scope, latest, previous);
      return { window: latest, isNew: false };
    }
    // A crashed invocation may have left the previous hour unfinished; no later call would find it.
    if (latest !== undefined && latest.finishedAt === undefined) {
      await finish(scope, latest, await windows.latest(scope, latest.hour - HOUR_MS));
    }
    const judged = await judge(scope, start, latest);
    const window = await windows.put(scope, judged);
    await finish(scope, window, latest);
    return { window, isNew: window === judged };
  };
};

export type JudgeScope = ReturnType<typeof createJudgeScope>;

/** With less of the function's time left, no further hour starts; the next dispatch finds the others. */
const MARGIN_MS = 15_000;

export type DetectDependencies = {
  judge: JudgeScope;
  judgeMoney: JudgeMoney;
  unjudged: Pick<UnjudgedStore, "clear">;
};

/** @throws what keeps an hour from being judged: the delivery is repeated, and no later hour is judged before. */
export const createDetectOrganization =
  ({ judge, judgeMoney, unjudged }: DetectDependencies) =>
  async ({ organizationId, hours, marked, money = [] }: DetectionDue, remainingMs: () => number) => {
    const scope = detectionScope(organizationId);
    const summary = { judged: 0, judgedBefore: 0, eventsRead: 0, findings: 0, left: 0 };
    const inOrder = [...new Set([...hours, ...money])].sort((a, b) => a - b);
    for (const [index, hour] of inOrder.entries()) {
      if (index > 0 && remainingMs() < MARGIN_MS) {
        summary.left = inOrder.length - index;
        break;
      }
      if (organizationId !== undefined && money.includes(hour)) {
        summary.findings += await judgeMoney(organizationId, hour, { isMarked: true });
      }
      if (!hours.includes(hour)) continue;
      const { window, isNew } = await judge(scope, hour);
      if (marked.includes(hour)) await unjudged.clear({ scope, hour });
      summary[isNew ? "judged" : "judgedBefore"]++;
      if (!isNew) continue;
      summary.eventsRead += window.eventsRead;
      summary.findings += window.findings.length + (window.custom?.findings ?? 0);
    }
    return summary;
  };
